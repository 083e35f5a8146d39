import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/stores/open.ts";
import { isStillMapped, mapHeader } from "../../src/stores/sqlite/revision/shared-memory-revision.ts";
import { visit } from "../stores/visit.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run, serve } from "../support/program.ts";

const LOCKED_MS = 1000;

const ENV = { DATABASE_URL: "sqlite:./store.db" };

// SQLite's "dead man switch" (os_unix.c, UNIX_SHM_DMS): who finds nobody holding it takes the shared
// memory for a leftover, empties it, and a process that still uses it dies of SIGBUS or loses frames.
// Closing ANY descriptor of the file, as `Bun.mmap` does of `-shm`, drops a process's locks on it.
test.skipIf(process.platform !== "linux")(
  "a running service holds SQLite's lock on the shared memory, so that no other process empties it",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: ENV });
    expect(locksOn(join(folder.path, "store.db-shm"), service.pid)).toContainEqual(["128", "128"]);
  },
);

test.skipIf(process.platform !== "linux")("opening a store twice in one process keeps the lock", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  const first = await openStore(`sqlite:${file}`, Date.now);
  const second = await openStore(`sqlite:${file}`, Date.now);
  await second.close();
  expect(locksOn(`${file}-shm`, process.pid)).toContainEqual(["128", "128"]);
  await first.close();
});

test("shared memory that the last other process removes while a store opens is detected as removed", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  const url = `sqlite:${file}`;
  await visit(url, "add", "Rex", "1");
  const header = mapHeader(file);
  await visit(url, "add", "Rex", "1");
  const store = await openStore(url, Date.now);
  expect(isStillMapped(file, header)).toBe(false);
  expect(isStillMapped(file, mapHeader(file))).toBe(true);
  await store.close();
});

test("other processes open and close a store while a service creates, and nothing is lost", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: ENV };
  await using service = await serve(options);
  let visiting = true;
  const names: string[] = [];
  const create = async (client: number) => {
    for (let count = 0; visiting; count++) {
      const name = `${client}-${count}`;
      const answer = await fetch(`${service.address}/v1/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
        body: JSON.stringify({ name, categoryId: 1 }),
      });
      expect(answer.status).toBe(201);
      names.push(name);
    }
  };
  const clients = [1, 2, 3].map(create);
  for (let visit = 0; visit < 4; visit++) {
    expect((await run(["keys", "list"], options)).exitCode).toBe(0);
    expect((await run(["keys", "create", "--name", `visitor ${visit}`], options)).exitCode).toBe(0);
  }
  visiting = false;
  await Promise.all(clients);

  const store = await openStore(`sqlite:${join(folder.path, "store.db")}`, Date.now);
  const stored: string[] = [];
  for (let after = 0n, more = true; more; ) {
    const page = await store.listAnimals({ status: undefined, after, limit: 100 });
    stored.push(...page.items.map(({ name }) => name));
    after = BigInt(page.items.at(-1)?.id ?? after);
    more = page.more;
  }
  await store.close();
  expect(stored.toSorted()).toEqual(names.toSorted());
});

test("a writer that waits for another sleeps, and writes when the other is done", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  const store = await openStore(`sqlite:${file}`, Date.now);
  const add = () => store.addAnimal({ name: "Rex", categoryId: 1n, status: "available" });
  await add();
  using other = new Database(file);
  other.run("BEGIN IMMEDIATE");
  const before = process.cpuUsage();
  const added = add();
  await Bun.sleep(LOCKED_MS);
  const { user, system } = process.cpuUsage(before);
  other.run("COMMIT");
  expect(await added).toMatchObject({ id: 2n });
  expect((user + system) / 1000).toBeLessThan(LOCKED_MS / 2);
  await store.close();
});

/** The byte ranges that a process has locked of a file, as the kernel tells them. */
function locksOn(file: string, pid: number): string[][] {
  const { ino } = statSync(file);
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => line.includes(` ${pid} `) && line.includes(`:${ino} `))
    .map((line) => line.trim().split(/\s+/).slice(-2));
}
