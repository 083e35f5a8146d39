import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/folder.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { PROGRAM, run, serve, TIED } from "../../test/support/program.ts";
import { until, untilStatus } from "../../test/support/until.ts";
import { Child } from "../../verify/child.ts";

/** For statements that wait for a lock in vain; the others may take as long on a busy machine. */
const TIMEOUT = "?statement_timeout=3000";
/** How long a lock is held at least: more than a request may take. */
const HELD_MS = 5000;

const server = await startOwnPostgres(["fsync=off"]);
afterAll(() => server[Symbol.asyncDispose]());

/** Keeps every transaction from being committed, until it is disposed of. */
type Hindrance = (url: string) => Promise<AsyncDisposable>;

function lock(statement: string): Hindrance {
  return async (url) => {
    const sql = new SQL({ url, max: 1, connection: { application_name: "psql" } });
    await sql.unsafe(`BEGIN; ${statement}`).simple();
    return sql;
  };
}

async function takeStandbyAway(): Promise<AsyncDisposable> {
  const setTo = async (change: string, value: string) => {
    await server.query(`ALTER SYSTEM ${change}`);
    await server.query("SELECT pg_reload_conf()");
    const shown = () => server.query<{ synchronous_standby_names: string }>("SHOW synchronous_standby_names");
    while ((await shown())[0]?.synchronous_standby_names !== value) await Bun.sleep(10);
  };
  await setTo("SET synchronous_standby_names = 'away'", "away");
  return { [Symbol.asyncDispose]: () => setTo("RESET synchronous_standby_names", "") };
}

const HINDRANCES: Readonly<Record<string, readonly [Hindrance, string]>> = {
  "a session holds the row of `state`": [
    lock("SELECT FROM animal_store.state FOR UPDATE"),
    "psql of postgres, process ",
  ],
  "a session keeps `state` from being written": [
    lock("LOCK TABLE animal_store.state IN EXCLUSIVE MODE"),
    "psql of postgres, process ",
  ],
  "the synchronous standby is away": [
    takeStandbyAway,
    "a standby to confirm the commit (synchronous_standby_names)",
  ],
};

for (const [when, [hinder, named]] of Object.entries(HINDRANCES)) {
  test(`while ${when}, a service starts, reads, names what it waits for, and writes as soon as it can`, async () => {
    using folder = temporaryFolder();
    const url = await server.createDatabase();
    const options = { cwd: folder.path, env: { DATABASE_URL: `${url}${TIMEOUT}` } };
    let key: string;
    {
      await using before = await serve(options);
      key = before.key;
      expect((await new Caller(before).create("Rex")).status).toBe(201);
    }
    await using hindrance = await hinder(url);
    const env = { ...options.env, STABILITY: "experimental" };
    await using service = await serve({ ...options, env });
    await service.says(`the first write waits for ${named}`);
    const caller = new Caller({ address: service.address, key });
    expect(await caller.names()).toEqual(["Rex"]);
    await expectUnavailable(await caller.create("Tom"));
    expect(await caller.names()).toEqual(["Rex"]);
    const listed = await run(["keys", "list"], options);
    expect(listed).toEqual({ exitCode: 0, stdout: expect.stringContaining("first key"), stderr: "" });
    await hindrance[Symbol.asyncDispose]();
    await untilStatus(() => caller.create("Tom"), 201);
    // The feed is on as soon as it can be.
    const recorded = async () => {
      await caller.create(crypto.randomUUID());
      const events = (await (await caller.get("/v1/events")).json()) as { type: string }[];
      return events.length > 0;
    };
    while (!(await recorded())) await Bun.sleep(20);
  });
}

/** Keeps a table of a store locked against reads, until it is disposed of. */
const lockAgainstReads = (table: string) => lock(`LOCK TABLE animal_store.${table}`);

async function storeAt(url: string, folder: TemporaryFolder) {
  const options = { cwd: folder.path, env: { DATABASE_URL: `${url}${TIMEOUT}` } };
  await (await serve(options))[Symbol.asyncDispose]();
  return options;
}

test.each([
  ["state", "the first read"],
  ["api_key", "the list of the keys"],
])("a service that cannot start, since %s is locked against reads, names the holder", async (table, read) => {
  using folder = temporaryFolder();
  const url = await server.createDatabase();
  const options = await storeAt(url, folder);
  await using _ = await lockAgainstReads(table)(url);
  const { exitCode, stderr } = await run(["serve", "--port", "0"], options);
  expect(exitCode).toBe(1);
  expect(stderr.trimEnd().split("\n").at(-1)).toContain(
    `${read} waited in vain for psql of postgres, process `,
  );
});

test("`keys list` waits for a lock longer than a request may, and names the holder", async () => {
  using folder = temporaryFolder();
  const url = await server.createDatabase();
  const options = await storeAt(url, folder);
  await using holder = await lockAgainstReads("api_key")(url);
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...options.env };
  await using listing = new Child([...TIED, PROGRAM, "keys", "list"], { cwd: options.cwd, env });
  await Bun.sleep(HELD_MS);
  await until(() => listing.errors.startsWith("The list of the keys waits for psql of postgres, process "));
  await holder[Symbol.asyncDispose]();
  expect(await listing.ended()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("first key") });
});
