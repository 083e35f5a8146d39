import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { temporaryFolder } from "../../test/support/folder.ts";
import { patchedProgram } from "../../test/support/patched-program.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { run } from "../../test/support/program.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { createStore, storePlace } from "../../test/support/store-place.ts";
import type { Run } from "../../verify/child.ts";

// What was committed must outlive the server's death: this one keeps what it says it keeps.
const server = await startOwnPostgres();
const sound = await startOwnPostgres();
await sound.query("CREATE ROLE limited LOGIN");
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await sound[Symbol.asyncDispose]();
});

const copy = temporaryFolder();
afterAll(() => copy[Symbol.dispose]());
/** The program, but for how often it asks whether a server is there. */
const asking = (everyMs: number) =>
  patchedProgram(join(copy.path, `${everyMs}`), [
    { file: "src/system/heartbeat.ts", from: "ASK_EVERY_MS = 1000", to: `ASK_EVERY_MS = ${everyMs}` },
  ]);

const COUNT = 20_000;
/** Well into what a command sends or gets of so many animals: a copy has sent its first chunk, of some 250 KB. */
const MIDDLE_BYTES = 330_000;

/** A command on a database that it reaches through a proxy, which can hold it up in the middle. */
async function workOn(database: string, argsFor: (url: string) => readonly string[]) {
  const proxy = await startProxy(server.port);
  const url = new URL(database);
  url.port = `${proxy.port}`;
  return {
    args: argsFor(url.href),
    /** Lets nothing pass any more once so much has passed to one side; resolves then. */
    async holdUp(side: "toServer" | "toClient"): Promise<void> {
      const held = Promise.withResolvers<void>();
      let passed = 0;
      const pass = (data: Buffer, counts: boolean) => {
        if (counts) passed += data.length;
        if (passed < MIDDLE_BYTES) return undefined;
        held.resolve();
        return Buffer.alloc(0);
      };
      proxy.interference = {
        toServer: (data) => pass(data, side === "toServer"),
        toClient: (data) => pass(data, side === "toClient"),
      };
      await held.promise;
    },
    letPass() {
      proxy.interference = {};
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Keeps everybody from publishing in a database. */
async function lock(url: string): Promise<AsyncDisposable & { untilSomebodyWaits(): Promise<void> }> {
  const holder = new SQL({ url, max: 1 });
  await holder.unsafe("BEGIN; SELECT FROM animal_store.state FOR UPDATE").simple();
  // Not within the transaction, which would see the same all the time.
  const watcher = new SQL({ url, max: 1 });
  const waiting = () => watcher`SELECT 1 FROM pg_stat_activity
                                 WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return {
    async untilSomebodyWaits() {
      while ((await waiting()).length === 0) await Bun.sleep(20);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([holder, watcher].map((each) => each.close({ timeout: 0 })));
    },
  };
}

/** Keeps a user of the sound server to the one connection that waits for a lock. */
async function leaveOneConnection(user: string): Promise<void> {
  await sound.query(`ALTER ROLE ${user} CONNECTION LIMIT 1`);
  await sound.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE usename = '${user}' AND wait_event_type IS DISTINCT FROM 'Lock'`);
}

async function countAnimals(url: string): Promise<number> {
  await using sql = new SQL({ url, max: 1 });
  const [row] = await sql`SELECT count(*)::int AS count FROM animal_store.animal`;
  return row.count;
}

/**
 * What happens to PostgreSQL meanwhile, what a command says about it, how it is repaired, and the program: a command
 * that is held up until all others are in the middle must not take that for a silence before the kill.
 */
const FAULTS = [
  ["froze", () => server.freeze(), "PostgreSQL has not answered for 2 s", () => server.thaw(), asking(200)],
  [
    "was killed",
    () => server.kill(),
    "PostgreSQL ended the connection",
    () => server.startAgain(),
    asking(30_000),
  ],
] as const;

test.each(FAULTS)(
  "while PostgreSQL %s each command says so and ends, and the next run does the rest",
  async (...fault) => {
    const [, begin, said, end, program] = fault;
    using here = storePlace();
    const make = () => server.createDatabase();
    const [source, target, staged, published] = [await make(), await make(), await make(), await make()];
    const elsewhere = await sound.createDatabase();
    await sound.query(`GRANT CREATE ON DATABASE ${new URL(elsewhere).pathname.slice(1)} TO limited`);
    const limited = elsewhere.replace("postgres@", "limited@");
    await Promise.all([
      here.run("seed", "--count", `${COUNT}`),
      here.run("seed", "--count", `${COUNT}`, "--database", source),
      createStore(published),
      createStore(limited),
      here.write("many.csv", `name,categoryId\n${"Animal,1\n".repeat(COUNT)}`),
    ]);
    const importing = (url: string) => ["import", "many.csv", "--database", url];
    await using exporting = await workOn(source, (url) => ["export", "all.csv", "--database", url]);
    await using from = await workOn(source, (url) => ["copy", "--from", url, "--to", "sqlite:./copy.db"]);
    await using into = await workOn(target, (url) => ["copy", "--from", here.env.DATABASE_URL, "--to", url]);
    await using staging = await workOn(staged, importing);
    await using publishing = await workOn(published, importing);
    const all = [exporting, from, into, staging, publishing];
    const runAll = () => Promise.all(all.map(({ args }) => run(args, { ...here, program })));
    {
      await using locked = await lock(published);
      await using lockedElsewhere = await lock(elsewhere);
      const middle = Promise.all([
        exporting.holdUp("toClient"),
        from.holdUp("toClient"),
        into.holdUp("toServer"),
        staging.holdUp("toServer"),
        locked.untilSomebodyWaits(),
      ]);
      const running = runAll();
      const patient = run(importing(limited), { ...here, program });
      await middle;
      await lockedElsewhere.untilSomebodyWaits();
      await leaveOneConnection("limited");
      await begin();
      let outcomes: Run[];
      try {
        outcomes = await running;
      } finally {
        await end();
      }
      const stderr = `animal-store: ${said}; when it is back, run the same command again.\n`;
      const waits =
        "(?:This command waits for a session of postgres, process \\d+, in a transaction since .*\n)?";
      expect(outcomes).toEqual(
        all.map((work) => ({
          exitCode: 1,
          stdout: "",
          stderr: work === publishing ? expect.stringMatching(new RegExp(`^${waits}${stderr}$`)) : stderr,
        })),
      );
      expect(await Promise.all([staged, published].map(countAnimals))).toEqual([0, 0]);
      // Where the server is well, work may take as long as it takes, though no other connection is let in.
      await lockedElsewhere[Symbol.asyncDispose]();
      await sound.query("ALTER ROLE limited CONNECTION LIMIT -1");
      expect((await patient).stderr).toEndWith(", ids 1 to 20000.\n");
      expect(readdirSync(here.cwd).filter((name) => name.startsWith("all.csv"))).toEqual([]);
    }

    for (const work of all) work.letPass();
    expect(await runAll()).toEqual(
      [
        expect.stringContaining("Exported 20,000 animals from postgres:"),
        expect.stringMatching(/Copied 20,000 animals.*agree\./),
        expect.stringMatching(/^Continuing after id \d+\.\nCopied 20,000 animals.*agree\./),
        expect.stringMatching(/^Imported 20,000 animals into postgres:.*, ids 1 to 20000\.\n$/),
        expect.stringMatching(/^Imported 20,000 animals into postgres:.*, ids 1 to 20000\.\n$/),
      ].map((stderr) => ({ exitCode: 0, stdout: "", stderr })),
    );
    const again = await Promise.all([staging, publishing].map(({ args }) => here.run(...args)));
    for (const { stderr } of again) expect(stderr).toStartWith("This content was already imported");
    expect(await Promise.all([staged, published].map(countAnimals))).toEqual([COUNT, COUNT]);
  },
);
