import { afterAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { keepDoing } from "../../test/support/keep-doing.ts";
import { patchedProgram } from "../../test/support/patched-program.ts";
import { signalAll } from "../../test/support/processes.ts";
import { serve } from "../../test/support/program.ts";

const copy = temporaryFolder();
afterAll(() => copy[Symbol.dispose]());
/** The program, but that it asks its workers three times as often whether they go on. */
const program = patchedProgram(copy.path, [
  { file: "src/system/heartbeat.ts", from: "ASK_EVERY_MS = 1000", to: "ASK_EVERY_MS = 300" },
]);
/** A worker that hangs is found before. */
const LONG_MS = 4000;
/** And not yet so soon, but it has been asked. */
const MOMENT_MS = 400;

const TWO = { WORKERS: "2" };

/** Stops processes in whatever they do, until it is disposed of. */
function freeze(...pids: readonly number[]): Disposable {
  signalAll(pids, "SIGSTOP");
  return { [Symbol.dispose]: () => signalAll(pids, "SIGCONT") };
}

test("a worker that hangs is detected and replaced, and the other worker continues", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: TWO, program });
  const [one = 0, two = 0] = service.workers();
  using _ = freeze(one);
  await service.says('"how":"it did not answer for 3 s"');
  await service.says("is replaced");
  expect(service.workers()).toContain(two);
  expect(service.workers()).not.toContain(one);
  // New connections may lead to either.
  const caller = new Caller(service, false);
  for (let n = 0; n < 20; n++) expect((await caller.create(`${n}`)).status).toBe(201);
  expect(service.output().split('"how"')).toHaveLength(2);
});

test("workers that are busy, or frozen with the whole machine, are not taken for hanging", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: TWO, program });
  const before = service.workers();
  const callers = Array.from({ length: 16 }, () => new Caller(service));
  using creating = keepDoing(callers.length, async (client, time) => {
    expect((await (callers[client] as Caller).create(`${client}.${time}`)).status).toBe(201);
  });
  await Bun.sleep(LONG_MS);
  {
    // They are never all stopped at the same moment, and one waits for an answer then.
    using _workers = freeze(...before);
    await Bun.sleep(MOMENT_MS);
    {
      using _supervisor = freeze(service.pid);
      await Bun.sleep(LONG_MS);
    }
    await Bun.sleep(MOMENT_MS);
  }
  await Bun.sleep(2 * MOMENT_MS);
  await creating.stop();
  expect(service.workers()).toEqual(before);
  expect(service.output()).not.toContain("another takes its place");
});

test("a worker that hangs while it opens its store is replaced too", async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  const hanging = patchedProgram(other.path, [
    { file: "src/workers/supervisor.ts", from: "READY_MAX_MS = 30_000", to: "READY_MAX_MS = 5000" },
    {
      file: "src/service/worker.ts",
      from: "const opened = await openStore(",
      to: 'if (require("node:fs").existsSync("./hang")) await new Promise(() => {});\n  const opened = await openStore(',
    },
  ]);
  await using service = await serve({ cwd: folder.path, env: TWO, program: hanging });
  const [one = 0] = service.workers();
  writeFileSync(join(folder.path, "hang"), "");
  process.kill(one, "SIGKILL");
  await service.says('"how":"not ready after 5 s"');
  rmSync(join(folder.path, "hang"));
  await service.says("is replaced");
  const caller = new Caller(service, false);
  for (let n = 0; n < 20; n++) expect((await caller.create(`${n}`)).status).toBe(201);
});
