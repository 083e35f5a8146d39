import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { serve } from "../support/program.ts";

const ENV = { DATABASE_URL: "sqlite:./store.db" };

// SQLite's "dead man switch" (os_unix.c, UNIX_SHM_DMS): who finds nobody holding it takes the shared
// memory for a leftover, empties it, and a process that still uses it dies of SIGBUS or loses frames.
// Closing ANY descriptor of the file, as `Bun.mmap` does of `-shm`, drops a process's locks on it.
// Until that is mended a `keys list` beside a busy service kills it.
test.failing("a running service holds SQLite's lock on the shared memory, so that no visitor empties it", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: ENV });
  const { ino } = statSync(join(folder.path, "store.db-shm"));
  const locks = readFileSync("/proc/locks", "utf8").split("\n");
  const held = locks.filter((line) => line.includes(` ${service.pid} `) && line.includes(`:${ino} `));
  expect(held.map((line) => line.trim().split(/\s+/).slice(-2))).toContainEqual(["128", "128"]);
});
