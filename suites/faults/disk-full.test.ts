import { expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { canMount, limitFiles, WITH_FILE_LIMIT, WITH_SMALL_DISK } from "../../test/support/full-disk.ts";
import { serve } from "../../test/support/program.ts";

const onLinux = process.platform === "linux";
const PROCESSES = Number(process.env.TEST_WORKERS ?? 1);
const ENV = { DATABASE_URL: "sqlite:./disk/store.db" };

test.skipIf(!onLinux)(
  "a full disk refuses creates with 503, and accepts them again once it has room",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: ENV, before: WITH_FILE_LIMIT });
    const caller = new Caller(service);
    const before = ["a", "b", "c"];
    for (const name of before) expect((await caller.create(name)).status).toBe(201);

    limitFiles(service.pid, 0);
    const refused = Array.from({ length: 20 }, (_, index) => `refused ${index}`);
    for (const answer of await Promise.all(refused.map((name) => caller.create(name)))) {
      await expectUnavailable(answer);
    }
    expect(await caller.names()).toEqual(before);

    limitFiles(service.pid, "unlimited");
    // The first answers again where there is one, a new animal where there is none.
    for (const name of [...before, ...refused]) expect((await caller.create(name)).status).toBe(201);
    expect(await caller.names()).toEqual([...before, ...refused]);
  },
);

test.skipIf(!onLinux)(
  "creates that a full disk refuses take a few lines of the log, however many there are",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: ENV, before: WITH_FILE_LIMIT });
    const caller = new Caller(service);
    limitFiles(service.pid, 0);
    const REFUSED = 1000;
    const started = performance.now();
    for (let n = 0; n < REFUSED; n += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => caller.create("refused")));
      for (const answer of answers) await expectUnavailable(answer);
    }
    limitFiles(service.pid, "unlimited");
    service.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    const seconds = Math.ceil((performance.now() - started) / 1000);
    await using _ = service;
    const lines = service
      .output()
      .split("\n")
      .filter((line) => line.includes("the store could not do its work"));
    const told = lines.map((line) => JSON.parse(line) as { count?: number; err?: { stack?: string } });
    expect(told.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(REFUSED);
    // One in full for each kind of failure and process, and one each second.
    expect(told.filter(({ err }) => err?.stack).length).toBeLessThanOrEqual(PROCESSES * 3);
    expect(told.length).toBeLessThanOrEqual(PROCESSES * 3 * (seconds + 1));
  },
);

test.skipIf(!onLinux)(
  "a disk that fills up again and again under load loses no acknowledged create",
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: ENV, before: WITH_FILE_LIMIT });
    const caller = new Caller(service);
    const log = join(folder.path, "disk/store.db-wal");
    let loaded = true;
    let refusals = 0;
    const stored: string[] = [];
    const load = async (client: number) => {
      for (let count = 0; loaded; count++) {
        const name = `${client}.${count}`;
        refusals += await caller.createInTheEnd(name);
        stored.push(name);
      }
    };
    const clients = [1, 2, 3, 4, 5, 6, 7, 8].map(load);
    for (let round = 0; round < 8; round++) {
      const storedBefore = stored.length;
      while (stored.length < storedBefore + 50) await Bun.sleep(1);
      // Somewhere within the next frames of the log, so that a transaction is torn.
      const refusalsBefore = refusals;
      limitFiles(service.pid, statSync(log).size + round * 1500);
      // A restarted log has room for a while, so the disk shrinks further.
      for (let waits = 0; refusals === refusalsBefore && waits < 50; waits++) await Bun.sleep(2);
      limitFiles(service.pid, 0);
      await expectUnavailable(await caller.create(`round ${round}`));
      limitFiles(service.pid, "unlimited");
      refusals += await caller.createInTheEnd(`round ${round}`);
      stored.push(`round ${round}`);
    }
    loaded = false;
    await Promise.all(clients);
    expect(refusals).toBeGreaterThan(0);
    expect((await caller.names()).sort()).toEqual(stored.sort());
  },
);

test.skipIf(!canMount())("a full file system refuses creates until it has room", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: ENV, before: WITH_SMALL_DISK });
  const caller = new Caller(service);
  const stored: string[] = [];
  for (;;) {
    const name = `before ${stored.length}`;
    const answer = await caller.create(name);
    if (answer.status !== 201) {
      await expectUnavailable(answer);
      break;
    }
    stored.push(name);
  }
  expect(stored).not.toEqual([]);
  expect(await caller.names()).toEqual(stored);
  await expectUnavailable(await caller.create("refused"));

  rmSync(`/proc/${service.pid}/root${folder.path}/disk/ballast`);
  for (let count = 0; count < 200; count++) {
    const name = `after ${count}`;
    expect((await caller.create(name)).status).toBe(201);
    stored.push(name);
  }
  expect(await caller.names()).toEqual(stored);
});
