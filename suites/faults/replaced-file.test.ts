import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { PROGRAM, run, type ServiceProcess, serve, TIED } from "../../test/support/program.ts";
import { until, untilStatus } from "../../test/support/until.ts";

const ENV = { DATABASE_URL: "sqlite:./data/store.db" };
const ONE_OR_TWO = [["1"], ["2"]] as const;

/** What an operator, or a script of theirs, does to a store that is served. */
const DEEDS: Record<string, (store: string) => void> = {
  "is replaced by a copy": (store) => {
    copyFileSync(store, `${store}.copy`);
    renameSync(`${store}.copy`, store);
  },
  "is removed": (store) => rmSync(store),
  "is renamed": (store) => renameSync(store, `${store}.old`),
  "loses its log": (store) => rmSync(`${store}-wal`),
  "is in a folder that is renamed": (store) => renameSync(join(store, ".."), join(store, "../../elsewhere")),
  "is in a folder that another replaces": (store) => {
    renameSync(join(store, ".."), join(store, "../../elsewhere"));
    mkdirSync(join(store, ".."));
  },
};

async function served(cwd: string, workers: string): Promise<{ service: ServiceProcess; caller: Caller }> {
  const service = await serve({ cwd, env: { ...ENV, WORKERS: workers } });
  // Each request may lead to another of the workers.
  return { service, caller: new Caller(service, false) };
}

describe.each(ONE_OR_TWO)("a store that %s of processes serves", (workers) => {
  test.each(Object.keys(DEEDS))("and that %s acknowledges and shows nothing more", async (deed) => {
    using folder = temporaryFolder();
    const { service, caller } = await served(folder.path, workers);
    await using _ = service;
    expect((await caller.create("before")).status).toBe(201);
    // A page and a key that are kept.
    for (let time = 0; time < 8; time++) expect((await caller.list()).status).toBe(200);

    DEEDS[deed]?.(join(folder.path, "data/store.db"));
    for (let n = 0; n < 4; n++) await expectUnavailable(await caller.create(`after ${n}`));
    for (let time = 0; time < 8; time++) await expectUnavailable(await untilStatus(() => caller.list(), 503));
    const ready = await fetch(`${service.address}/readyz`, { keepalive: false });
    expect([200, 503]).toContain(ready.status);
    await untilStatus(() => fetch(`${service.address}/readyz`, { keepalive: false }), 503);
    expect((await fetch(`${service.address}/livez`)).status).toBe(200);
    await service.says("is no longer the file that was opened");
  });
});

test("an import into a store that is replaced meanwhile does not report success", async () => {
  using folder = temporaryFolder();
  const store = join(folder.path, "data/store.db");
  await run(["seed", "--count", "1"], { cwd: folder.path, env: ENV });
  copyFileSync(store, `${store}.copy`);
  const { PATH = "", HOME = "" } = process.env;
  await using child = Bun.spawn([...TIED, PROGRAM, "import", "-", "--format", "csv"], {
    cwd: folder.path,
    env: { PATH, HOME, ...ENV },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  child.stdin.write("name,categoryId\n");
  // A program that has the store open has a log beside it.
  await until(() => existsSync(`${store}-wal`));
  renameSync(`${store}.copy`, store);
  child.stdin.write("Rex,1\n");
  child.stdin.end();
  const exitCode = await child.exited;
  // It may have opened the new file just in time: then that is where the animal is.
  const { stdout } = await run(["export", "-", "--format", "csv"], { cwd: folder.path, env: ENV });
  if (!stdout.includes("Rex")) {
    expect(exitCode).toBe(1);
    expect(await child.stderr.text()).not.toContain("Imported");
  }
});

test.each(["removed", "replaced"])(
  "an import whose store's shared memory is %s meanwhile imports nothing, and loses nothing of a service",
  async (deed) => {
    using folder = temporaryFolder();
    const store = join(folder.path, "data/store.db");
    await run(["seed", "--count", "1"], { cwd: folder.path, env: ENV });
    const { PATH = "", HOME = "" } = process.env;
    await using child = Bun.spawn([...TIED, PROGRAM, "import", "-", "--format", "csv"], {
      cwd: folder.path,
      env: { PATH, HOME, ...ENV },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    child.stdin.write("name,categoryId\n");
    // More than a pipe holds: once all is written, the import has read some, and has opened its store before.
    child.stdin.write("Rex,1\n".repeat(100_000));
    await child.stdin.flush();
    const copy = readFileSync(`${store}-shm`);
    rmSync(`${store}-shm`);
    if (deed === "replaced") writeFileSync(`${store}-shm`, copy);
    {
      const { service, caller } = await served(folder.path, "1");
      await using _ = service;
      expect((await caller.create("acknowledged")).status).toBe(201);
      child.stdin.end();
      expect(await child.exited).toBe(1);
      expect(await child.stderr.text()).toContain("-shm is no longer the file that was opened");
      expect((await caller.create("also")).status).toBe(201);
      service.kill("SIGKILL");
      await service.exited;
    }
    const { stdout } = await run(["export", "-", "--format", "csv"], { cwd: folder.path, env: ENV });
    expect(stdout).toContain("acknowledged");
    expect(stdout).toContain("also");
    expect(stdout).not.toContain("Rex");
  },
);

test("a truncated store acknowledges no write until it is whole again", async () => {
  using folder = temporaryFolder();
  const store = join(folder.path, "data/store.db");
  await run(["seed", "--count", "5000"], { cwd: folder.path, env: ENV });
  const { service, caller } = await served(folder.path, "1");
  await using _ = service;
  expect((await caller.create("before")).status).toBe(201);
  const whole = readFileSync(store);
  for (const size of [0, 4096, 40_000]) {
    truncateSync(store, size);
    await expectUnavailable(await caller.create(`cut to ${size}`));
    await untilStatus(() => fetch(`${service.address}/readyz`), 503);
    writeFileSync(store, whole);
    await caller.createInTheEnd(`whole after ${size}`);
    await untilStatus(() => fetch(`${service.address}/readyz`), 200);
  }
});

test("a store continues after VACUUM makes it smaller", async () => {
  using folder = temporaryFolder();
  const store = join(folder.path, "data/store.db");
  await run(["seed", "--count", "5000"], { cwd: folder.path, env: ENV });
  const { service, caller } = await served(folder.path, "1");
  await using _ = service;
  expect((await caller.create("before")).status).toBe(201);
  const { size } = statSync(store);
  {
    using database = new Database(store);
    // The service clears up from time to time, and writes then.
    database.run("PRAGMA busy_timeout = 60000");
    // An animal that has orders cannot be deleted.
    database.run("DELETE FROM animal WHERE id <= 4000 AND id NOT IN (SELECT animal_id FROM store_order)");
    database.run("VACUUM");
    await until(() => {
      database.run("PRAGMA wal_checkpoint(TRUNCATE)");
      return statSync(store).size < size;
    });
  }
  expect((await caller.create("after")).status).toBe(201);
  expect((await caller.create("and after")).status).toBe(201);
});

test("a store that is put back is served after a restart, with everything that was acknowledged", async () => {
  using folder = temporaryFolder();
  const store = join(folder.path, "data/store.db");
  {
    const { service, caller } = await served(folder.path, "1");
    await using _ = service;
    expect((await caller.create("before")).status).toBe(201);
    renameSync(store, `${store}.old`);
    await expectUnavailable(await caller.create("meanwhile"));
    renameSync(`${store}.old`, store);
    // Somebody may have opened it under its other name, with another log.
    await expectUnavailable(await caller.create("still"));
    await untilStatus(() => fetch(`${service.address}/readyz`), 503);
  }
  const { service, caller } = await served(folder.path, "1");
  await using _ = service;
  expect((await caller.names())[0]).toBe("before");
  expect((await caller.create("after")).status).toBe(201);
});
