import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../verify/child.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isThere, treeOf } from "../support/processes.ts";
import { TIED } from "../support/program.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dir, "../..");

/** A test that never ends, with a process and a folder of its own; the file names the process once it runs. */
const hangs = (told: string) => `
  import { test } from "bun:test";
  import { temporaryFolder } from ${JSON.stringify(join(ROOT, "test/support/folder.ts"))};
  import { TIED } from ${JSON.stringify(join(ROOT, "test/support/program.ts"))};
  test("hangs", async () => {
    using folder = temporaryFolder();
    const child = Bun.spawn([...TIED, "sleep", "600"], { cwd: folder.path });
    await Bun.write(${JSON.stringify(told)}, String(child.pid));
    await child.exited;
  });`;

// Without setpriv, on macOS for example, a runner does not notice that its parent was killed.
for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const)
  test.skipIf(signal === "SIGKILL" && TIED.length === 0)(
    `a run of tests that gets ${signal} leaves no process and no folder behind`,
    async () => {
      using folder = temporaryFolder();
      using temporary = temporaryFolder();
      const [file, told] = [join(folder.path, "hangs.test.ts"), join(folder.path, "pid")];
      await Bun.write(file, hangs(told));
      const { PATH, HOME } = process.env;
      await using run = new Child([join(ROOT, "bin/runtime"), join(ROOT, "scripts/test.ts"), file], {
        cwd: ROOT,
        env: { PATH, HOME, TMPDIR: temporary.path },
      });
      await Promise.race([until(() => existsSync(told)), failed(run)]);
      const processes = treeOf(run.pid);
      expect(processes).toContain(Number(readFileSync(told, "utf8")));
      run.kill(signal);
      await until(() => !processes.some(isThere) && readdirSync(temporary.path).length === 0);
      expect(await run.exited).not.toBe(0);
    },
  );

/** Rejects when a program ends. */
async function failed(program: Child): Promise<never> {
  const { stdout, stderr } = await program.ended();
  throw new Error(`the run ended by itself: ${stdout}${stderr}`);
}
