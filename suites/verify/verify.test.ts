import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { hidePassword } from "../../src/stores/url.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { isThere, treeOf } from "../../test/support/processes.ts";
import { PROGRAM, run } from "../../test/support/program.ts";
import { reportOf } from "../../test/verify/verify-report.ts";
import { verifyOwn } from "../../verify/cli/own.ts";
import { openTestbed } from "../../verify/testbed/open.ts";

const SHORT = ["verify", "--minutes", "0.1", "--seed", "7"];

test("on SQLite every check passes, and verify leaves nothing behind", async () => {
  using folder = temporaryFolder();
  const database = `sqlite:${folder.path}`;
  // The settings of a service that runs beside it are none of its own.
  const env = {
    DATABASE_URL: `sqlite:${folder.path}/mine.db`,
    PORT: "1",
    RATE_LIMIT: "1/h",
    LOG_LEVEL: "silent",
  };
  const done = await run([...SHORT, "--json", "--database", database], { cwd: folder.path, env });
  const { passed, seed, checks } = reportOf(done);
  expect(checks.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
  expect({ passed, seed, exitCode: done.exitCode, stderr: done.stderr }).toEqual({
    passed: true,
    seed: 7,
    exitCode: 0,
    stderr: "",
  });
  expect(checks.map(({ name }) => name)).toEqual(["sync", "contract", "model", "kill", "backup", "fuzz"]);
  const figures = Object.fromEntries(checks.map(({ name, figures }) => [name, figures ?? {}]));
  // What was not exercised was not proved.
  const kinds = ["retry at once", "retry of a lost response", "list, if changed", "walk", "revocation"];
  const ofOrders = ["order retried at once", "order changed", "orders listed", "look at an animal for sale"];
  for (const kind of [...kinds, ...ofOrders, "orders"]) expect(figures.model?.[kind]).toBeGreaterThan(0);
  expect(figures.kill).toMatchObject({ kills: expect.any(Number), acknowledged: expect.any(Number) });
  expect(figures.kill?.acknowledgedOrders).toBeGreaterThan(0);
  for (const pair of ["createPet 503", "placeOrder 409", "updateOrder 409", "listOrders 304"])
    expect(figures.contract?.exercised).toContain(pair);
  expect(readdirSync(folder.path)).toEqual([]);
});

test("on PostgreSQL every check passes, an existing schema stays unchanged, and verify removes its own", async () => {
  using folder = temporaryFolder();
  await using postgres = await startOwnPostgres();
  const url = await postgres.createDatabase();
  const args = ["verify", "--minutes", "0.05", "--json", "--database", url];
  const done = await run(args, { cwd: folder.path });
  const { passed, checks } = reportOf(done);
  expect(checks.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
  expect({ passed, exitCode: done.exitCode }).toEqual({ passed: true, exitCode: 0 });
  expect(checks.find(({ name }) => name === "backup")?.verdict).toBe("skipped");

  await using sql = new SQL({ url, max: 1 });
  expect(await sql`SELECT 1 FROM pg_namespace WHERE nspname = 'animal_store'`).toHaveLength(0);
  await sql`CREATE SCHEMA animal_store`;
  const refused = await run(args, { cwd: folder.path });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("verify never touches an existing store");
  expect(await sql`SELECT 1 FROM pg_namespace WHERE nspname = 'animal_store'`).toHaveLength(1);
});

test("without syncs durability is not proved, and verify does not succeed", async () => {
  using folder = temporaryFolder();
  const memory = "/dev/shm";
  const inMemory = existsSync(memory) && readFileSync("/proc/self/mountinfo", "utf8").includes(` ${memory} `);
  const database = `sqlite:${inMemory ? memory : folder.path}`;
  const done = await run(
    ["verify", "--only", "sync", "--minutes", "0.02", "--json", "--database", database],
    {
      cwd: folder.path,
    },
  );
  const [check] = reportOf(done).checks;
  if (inMemory) {
    expect(check?.verdict).toBe("inconclusive");
    expect(check?.details[0]).toContain("keeps its files in memory");
    expect({ exitCode: done.exitCode, stderr: done.stderr }).toEqual({
      exitCode: 3,
      stderr: "animal-store: sync was inconclusive.\n",
    });
  } else expect(check?.verdict).not.toBe("failed");
});

test("the printed command that repeats a check shows no password", async () => {
  await using postgres = await startOwnPostgres();
  const database = `${await postgres.createDatabase()}?password=s3cr3t`;
  const verification = await verifyOwn({
    checks: [],
    database,
    minutes: 1,
    seed: 7,
    command: [],
    environment: {},
    settings: [],
    hidePassword,
    progress() {},
    signal: new AbortController().signal,
  });
  expect(verification.repeatCommand("kill")).toContain("password=***");
  expect(verification.repeatCommand("kill")).not.toContain("s3cr3t");
  await verification.end();
});

test("a database may be named by the options of its URL", async () => {
  await using postgres = await startOwnPostgres();
  const made = new URL(await postgres.createDatabase());
  const name = made.pathname.slice(1);
  const options = `host=${made.hostname}&port=${made.port}&user=${made.username}&dbname=${name}&sslmode=disable`;
  const beside = "application_name=judge&connect_timeout=5&target_session_attrs=primary";
  await using testbed = await openTestbed(`postgres://@/?${options}&${beside}`);
  expect(testbed.description).toBe(`PostgreSQL, the database ${name}`);
  await using sql = new SQL({ url: made.href, max: 1 });
  const own =
    await sql`SELECT 1 FROM pg_stat_activity WHERE datname = ${name} AND application_name = 'judge'`;
  expect(own.length).toBeGreaterThan(0);
});

test("an existing store is refused and stays unchanged", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "mine.db");
  writeFileSync(file, "precious");
  const done = await run(["verify", "--database", `sqlite:${file}`], { cwd: folder.path });
  expect(done.exitCode).toBe(2);
  expect(done.stderr).toContain(`${file} exists, and verify never touches an existing store`);
  expect(readFileSync(file, "utf8")).toBe("precious");
  expect(readdirSync(folder.path)).toEqual(["mine.db"]);
});

describe("wrong use", () => {
  const wrong: Record<string, readonly [args: readonly string[], says: string]> = {
    "no number of minutes": [["--minutes", "long"], "--minutes must be a number above 0"],
    "no time at all": [["--minutes", "0"], "--minutes must be a number above 0"],
    "no seed": [["--seed", "-1"], "--seed must be a whole number"],
    "a check that is none": [["--only", "sync,wishes"], '--only names "wishes"'],
    "a store of no kind": [["--database", "mysql://x"], "--database must be sqlite:FOLDER"],
    "a database that is nowhere": [
      ["--database", "postgres://me:secret@127.0.0.1:1/x"],
      "the database cannot be used",
    ],
    "several hosts": [["--database", "postgres://me@one:5432,two:5432/x"], "name one host of the database"],
    "several hosts among the options": [
      ["--database", "postgres://me@/x?host=one,two"],
      "name one host of the database",
    ],
    "an option that only the service knows": [
      ["--database", "postgres://me@127.0.0.1:1/x?sslmode=require&channel_binding=require"],
      "--database must not have option 2 after its ?:",
    ],
    "an option that nobody knows": [
      ["--database", "postgres://me@127.0.0.1:1/x?sslmod=require"],
      "--database must not have option 1 after its ?:",
    ],
    "a value that the library would take for none": [
      ["--database", "postgres://me@127.0.0.1:1/x?sslmode=allow"],
      "--database must not have this sslmode:",
    ],
    "no address": [["--url", "animals", "--key", "x"], "--url must be a base URL"],
    "an address without a key": [["--url", "http://127.0.0.1:1/v1"], "--url requires --key"],
    "a key without an address": [["--key", "x"], "--key requires --url"],
    "two kinds of proof": [
      ["--url", "http://127.0.0.1:1", "--key", "x", "--minutes", "2"],
      "--url cannot be combined",
    ],
  };
  for (const [name, [args, says]] of Object.entries(wrong)) {
    test(name, async () => {
      using folder = temporaryFolder();
      const done = await run(["verify", ...args], { cwd: folder.path });
      expect({ exitCode: done.exitCode, stdout: done.stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(done.stderr).toContain(`animal-store: ${says}`);
      expect(done.stderr).not.toContain("secret");
      expect(done.stderr.trim().split("\n")).toHaveLength(1);
    });
  }

  test("an unknown setting for the instances", async () => {
    using folder = temporaryFolder();
    const done = await run(["verify"], { cwd: folder.path, env: { WORKERS: "many" } });
    expect(done.exitCode).toBe(2);
    expect(done.stderr).toContain("WORKERS cannot be read");
  });
});

for (const signal of ["SIGINT", "SIGKILL"] as const) {
  test(`${signal} ends its instances and removes what it made`, async () => {
    using folder = temporaryFolder();
    const { PATH = "", HOME = "" } = process.env;
    const child = Bun.spawn(
      [PROGRAM, "verify", "--only", "model", "--minutes", "5", "--database", `sqlite:${folder.path}`],
      {
        cwd: folder.path,
        env: { PATH, HOME },
        stdout: "ignore",
        stderr: "pipe",
      },
    );
    // An instance, its key written, has clients.
    while (![...new Bun.Glob("*/*/first-key").scanSync(folder.path)].length) await Bun.sleep(10);
    const all = treeOf(child.pid);
    expect(all.length).toBeGreaterThan(2);
    child.kill(signal);
    const exitCode = await child.exited;
    if (signal === "SIGINT") {
      expect(exitCode).toBe(130);
      expect(await new Response(child.stderr).text()).toContain("animal-store: interrupted. ");
    }
    // Those that were being started just then are not among those that were seen.
    const isAnyThere = () => all.some(isThere) || anyIn(folder.path) || readdirSync(folder.path).length > 0;
    while (isAnyThere()) await Bun.sleep(20);
  });
}

/** Whether a process has its current folder below another, where the system tells. */
function anyIn(folder: string): boolean {
  const processes = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)) : [];
  return processes.some((id) => {
    try {
      return readlinkSync(`/proc/${id}/cwd`).startsWith(`${folder}/`);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}
