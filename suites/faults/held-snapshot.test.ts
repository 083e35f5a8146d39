import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { Metrics } from "../../test/support/metrics.ts";
import { patchedProgram } from "../../test/support/patched-program.ts";
import { PROGRAM, run, serve, TIED } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { until } from "../../test/support/until.ts";

const ENV = { DATABASE_URL: "sqlite:./store.db" };

const copy = temporaryFolder();
afterAll(() => copy[Symbol.dispose]());
/** The program, but that it is patient for a second, and a backup goes to a disk that does not answer. */
const hasty = patchedProgram(copy.path, [
  { file: "src/domain/transfer.ts", from: "STALLED_MS = 60_000", to: "STALLED_MS = 1000" },
  {
    file: "src/stores/sqlite/backup/thread-main.ts",
    from: 'database.query("VACUUM INTO ?").run(copy);',
    to: 'database.run("BEGIN"); database.run("SELECT 1 FROM animal"); require("node:fs").openSync("./disk", "r");',
  },
]);

/** Holds a store as it is now, as a client of SQLite's does that reads for long. */
function hold(file: string): Disposable {
  const reader = new Database(file, { readonly: true });
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM animal").get();
  return { [Symbol.dispose]: () => reader.close() };
}

test("the write-ahead log shrinks again once no reader holds an earlier snapshot", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { ...ENV, METRICS_PORT: "0" } };
  await using service = await serve(options);
  const file = join(folder.path, "store.db");
  const metricsAddress = /"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "";
  const metrics = async (name: string) => (await Metrics.at(metricsAddress)).sum(name);
  const caller = new Caller(service);
  await caller.create("before");
  expect(await metrics("animal_store_wal_bytes")).toBeLessThan(16 * 1024 * 1024);
  {
    using _ = hold(file);
    using other = new Database(file);
    other.run("PRAGMA busy_timeout = 60000");
    for (let part = 1; part <= 6; part++) {
      other.run(
        `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 20000)
         INSERT INTO animal (name, category_id, status) SELECT hex(randomblob(127)), id, 'sold' FROM n`,
      );
    }
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(20 * 1024 * 1024);
    expect(await metrics("animal_store_wal_bytes")).toBeGreaterThan(20 * 1024 * 1024);
    if (process.platform === "linux") {
      await until(async () => (await metrics("animal_store_wal_oldest_reader_seconds")) > 0);
    }
  }
  let count = 0;
  await until(async () => {
    await caller.create(`after ${count++}`);
    return statSync(`${file}-wal`).size <= 16 * 1024 * 1024;
  });
  if (process.platform === "linux") expect(await metrics("animal_store_wal_oldest_reader_seconds")).toBe(0);
});

/** The command by which operations.md finds who holds an old state of the store `animal-store.db`. */
const [, FIND_READER = ""] =
  /`(grep [^`]+ \/proc\/locks)`/.exec(
    readFileSync(join(import.meta.dir, "../../docs/operations.md"), "utf8"),
  ) ?? [];

test.skipIf(process.platform !== "linux")(
  "the command of operations.md names the process that holds a snapshot, and not the service",
  async () => {
    using folder = temporaryFolder();
    const env = { DATABASE_URL: "sqlite:./animal-store.db" };
    await using service = await serve({ cwd: folder.path, env });
    await new Caller(service).create("Rex");
    using _ = hold(join(folder.path, "animal-store.db"));
    const readers = async () => {
      const { stdout } = await runCommand(["sh", "-c", `${FIND_READER} | awk '{print $5}'`], {
        cwd: folder.path,
      });
      return stdout.trim();
    };
    // The service may be reading just now.
    await until(async () => (await readers()) === `${process.pid}`);
  },
);

test("an export whose output nobody reads is abandoned, and the message says what to do", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: ENV };
  await run(["seed", "--count", "20000"], options);
  const { PATH = "", HOME = "" } = process.env;
  // A pipe that somebody has open and does not read.
  const pipe = join(folder.path, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const stdout = openSync(pipe, "r+");
  await using child = Bun.spawn([...TIED, hasty, "export", "-", "--format", "csv"], {
    cwd: folder.path,
    env: { PATH, HOME, ...ENV },
    stdin: "ignore",
    stdout,
    stderr: "pipe",
  });
  expect(await child.exited).toBe(1);
  closeSync(stdout);
  expect(await child.stderr.text()).toBe(
    "animal-store: standard output has accepted no data for 1 s, and meanwhile the store keeps everything that the " +
      "export may still read. Export to a file and read that.\n",
  );
});

test("an export continues while its reader is slow", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: ENV };
  await run(["seed", "--count", "20000"], options);
  const reader = [
    "sh",
    "-c",
    '"$0" export - --format csv | { for _ in 1 2 3 4 5; do sleep 0.3; head -c 60000; done; cat; } | wc -l',
  ];
  const { PATH = "", HOME = "" } = process.env;
  await using child = Bun.spawn([...TIED, ...reader, PROGRAM], {
    cwd: folder.path,
    env: { PATH, HOME, ...ENV },
    stdout: "pipe",
    stderr: "inherit",
  });
  expect((await child.stdout.text()).trim()).toBe("20001");
});

test("a backup to a full disk is abandoned and leaves nothing behind", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: ENV };
  await run(["seed", "--count", "10"], options);
  Bun.spawnSync(["mkfifo", join(folder.path, "disk")]);
  const { exitCode, stderr } = await run(["backup", "a.bak"], { ...options, program: hasty });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("has accepted no data for 1 s");
  // SQLite keeps or removes its own two files beside the store, depending on who closed it last.
  const left = readdirSync(folder.path).filter((name) => !name.startsWith("store.db"));
  expect(left).toEqual(["disk"]);
});
