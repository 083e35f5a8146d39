import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Caller, startCreate } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { patchedProgram } from "../../test/support/patched-program.ts";
import { serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";

const copy = temporaryFolder();
afterAll(() => copy[Symbol.dispose]());
/**
 * The program, but that a commit waits for a disk that does not answer, once there is a file `disk`: a system call that
 * does not return, which is to open a pipe that nobody else opens.
 */
const program = patchedProgram(copy.path, [
  {
    file: "src/stores/sqlite/writer/store-writer.ts",
    from: "const reply = retryWhileBusy(() => work(store));",
    to: `const { existsSync, openSync, writeFileSync } = require("node:fs");
      if (existsSync("./disk")) { writeFileSync("./hangs", ""); openSync("./disk", "r"); }
      const reply = retryWhileBusy(() => work(store));`,
  },
]);

test.each(["1", "2"])(
  "a hanging disk does not delay a stop of %s beyond SHUTDOWN_SECONDS",
  async (workers) => {
    using folder = temporaryFolder();
    const env = { DATABASE_URL: "sqlite:./store.db", SHUTDOWN_SECONDS: "1", WORKERS: workers };
    {
      await using service = await serve({ cwd: folder.path, env, program });
      expect((await new Caller(service).create("before")).status).toBe(201);
      Bun.spawnSync(["mkfifo", join(folder.path, "disk")]);
      const creating = startCreate(service, "never stored");
      creating.answer.catch(() => {});
      await until(() => existsSync(join(folder.path, "hangs")));
      service.kill("SIGTERM");
      expect(await service.exited).toBe(0);
      await service.says("the stop was cut short after 1 s");
    }
    await using again = await serve({ cwd: folder.path, env: { ...env, FIRST_KEY: "none" } });
    expect(await new Caller(again).names()).toEqual(["before"]);
  },
);

test("a stop within its time leaves no write-ahead log behind", async () => {
  using folder = temporaryFolder();
  const env = { DATABASE_URL: "sqlite:./store.db" };
  await using service = await serve({ cwd: folder.path, env });
  expect((await new Caller(service).create("Rex")).status).toBe(201);
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
  expect(existsSync(join(folder.path, "store.db-wal"))).toBe(false);
  expect(service.output()).not.toContain("cut short");
});

test("a stop that ends just as its time runs out exits with 0", async () => {
  using copy = temporaryFolder();
  using folder = temporaryFolder();
  // On a busy machine the process may still be there when its time runs out, and its log is closed by then.
  const program = patchedProgram(copy.path, [
    {
      file: "src/service/run.ts",
      from: "if (!(await telemetry.close())) process.exit(0);",
      to: "await telemetry.close(); await Bun.sleep(2000);",
    },
  ]);
  const env = { SHUTDOWN_SECONDS: "1" };
  await using service = await serve({ cwd: folder.path, env, program });
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
  expect(service.output()).toContain('"msg":"stopped"');
});
