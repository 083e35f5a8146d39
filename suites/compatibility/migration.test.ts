import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { keepDoing } from "../../test/support/keep-doing.ts";
import { patchedProgram } from "../../test/support/patched-program.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { run, serve } from "../../test/support/program.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** Every table gains a column: each of them has to be locked. */
const NEXT_MIGRATION = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'animal_store' ORDER BY tablename DESC LOOP
      EXECUTE format('ALTER TABLE animal_store.%I ADD COLUMN note text NOT NULL DEFAULT ''''', name);
    END LOOP;
  END $$;`;

/** The program as its next version may be, with one migration more; returns its path. */
function nextVersion(folder: string): string {
  const program = patchedProgram(folder, [
    {
      file: "src/stores/postgres/migrate.ts",
      from: "export const SCHEMA_VERSION = FIRST_SCHEMA_VERSION + POSTGRES_MIGRATIONS.length - 1;",
      to:
        'import next from "./migrations/9999-next.sql" with { type: "text" };\n' +
        "(POSTGRES_MIGRATIONS as string[]).push(next);\nexport const SCHEMA_VERSION = FIRST_SCHEMA_VERSION + POSTGRES_MIGRATIONS.length - 1;",
    },
  ]);
  writeFileSync(join(folder, "src/stores/postgres/migrations/9999-next.sql"), NEXT_MIGRATION);
  return program;
}

test("a new version that waits for a reader stops no instance, says whom it waits for, and serves beside the old", async () => {
  const url = await server.createDatabase();
  using folder = temporaryFolder();
  using newFolder = temporaryFolder();
  using source = temporaryFolder();
  const program = nextVersion(source.path);
  await using old = await serve({ cwd: folder.path, env: { DATABASE_URL: url } });
  const caller = new Caller({ address: old.address, key: old.key });
  expect((await caller.create("first")).status).toBe(201);

  // As pg_dump does: a transaction that has read each table, and goes on.
  await using reader = new SQL({ url, max: 1, connection: { application_name: "nightly dump" } });
  await reader.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
  for (const table of ["animal", "state", "api_key", "idempotency_key"]) {
    await reader.unsafe(`SELECT count(*) FROM animal_store.${table}`);
  }

  const statuses = new Map<string, number>();
  const note = async (what: string, answering: Promise<Response>) => {
    const { status } = await answering;
    statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1);
  };
  let created = 0;
  using busy = keepDoing(4, (client, time) =>
    client % 2 === 0
      ? note("create", caller.create(`${client}.${time}`, time % 2 === 0 ? null : undefined)).then(
          () => void created++,
        )
      : note("list", caller.list(`limit=${1 + (time % 100)}`)),
  );
  const starting = serve({ cwd: newFolder.path, env: { DATABASE_URL: url, FIRST_KEY: "none" }, program });
  await using admin = new SQL({ url, max: 1 });
  const isWaiting = async () =>
    (
      await admin`
        SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ADD COLUMN%'`
    ).length > 0;
  // It tries again and again, and requests are served meanwhile.
  for (let attempts = 0; attempts < 5; attempts++) {
    while (!(await isWaiting())) await Promise.race([Bun.sleep(10), starting]);
    while (await isWaiting()) {
      expect([...statuses.keys()].filter((each) => each !== "create 201" && each !== "list 200")).toEqual([]);
      await Bun.sleep(10);
    }
  }
  const before = created;
  await busy.until(() => created >= before + 100);
  await reader.unsafe("COMMIT");

  await using next = await starting;
  const log = next
    .output()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const [told] = log.filter(({ msg }) => msg.startsWith("the change of the schema waits for "));
  expect(told.msg).toMatch(/ waits for nightly dump of \w+, process \d+, in a transaction since 20\d\d-/);
  expect(told.holders).toEqual([
    {
      process: expect.any(Number),
      application: "nightly dump",
      user: expect.any(String),
      since: expect.any(Number),
    },
  ]);
  expect(log.some(({ msg }) => msg.startsWith("the schema is now at version "))).toBe(true);

  // Both serve, side by side; the old one's prepared statements still fit.
  const later = created;
  await busy.until(() => created >= later + 50);
  await busy.stop();
  expect([...statuses.keys()].sort()).toEqual(["create 201", "list 200"]);
  const neighbour = new Caller({ address: next.address, key: old.key });
  expect((await neighbour.create("by the new one")).status).toBe(201);
  expect((await caller.names()).at(-1)).toBe("by the new one");
  expect((await caller.create("by the old one")).status).toBe(201);
  expect((await neighbour.names()).at(-1)).toBe("by the old one");
  const env = { DATABASE_URL: url };
  expect(await run(["keys", "list"], { cwd: newFolder.path, env, program })).toMatchObject({ exitCode: 0 });
  // What is started of the old version refuses the newer schema.
  expect((await run(["keys", "list"], { cwd: folder.path, env })).stderr).toContain(
    "Start a version of Animal Store",
  );
});
