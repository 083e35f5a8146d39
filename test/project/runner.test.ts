import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../../verify/child.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isThere, treeOf } from "../support/processes.ts";
import { TIED } from "../support/program.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dir, "../..");

/** A test that never ends, with a PostgreSQL, a process and a folder of its own; the file names both processes once they run. */
const hangs = (told: string) => `
  import { test } from "bun:test";
  import { renameSync } from "node:fs";
  import { temporaryFolder } from ${JSON.stringify(join(ROOT, "test/support/folder.ts"))};
  import { startOwnPostgres } from ${JSON.stringify(join(ROOT, "test/support/postgres.ts"))};
  import { TIED } from ${JSON.stringify(join(ROOT, "test/support/program.ts"))};
  test("hangs", async () => {
    await using postgres = await startOwnPostgres();
    using folder = temporaryFolder();
    const command = [...TIED, "sh", "-c", "echo; exec sleep 600"];
    const child = Bun.spawn(command, { cwd: folder.path, stdout: "pipe" });
    // Only now is it tied to this process.
    await child.stdout.getReader().read();
    const [pid] = (await Bun.file(postgres.data + "/postmaster.pid").text()).split("\\n");
    await Bun.write(folder.path + "/told", JSON.stringify([Number(pid), child.pid]));
    // The file is there only once it is whole.
    renameSync(folder.path + "/told", ${JSON.stringify(told)});
    await child.exited;
  });`;

// On macOS no process notices that its parent was killed.
for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const)
  test.skipIf(TIED.length === 0)(
    `a run of tests that gets ${signal} leaves no process and no folder behind`,
    async () => {
      using folder = temporaryFolder();
      using temporary = temporaryFolder();
      // When root runs the tests, PostgreSQL runs as another user.
      chmodSync(temporary.path, 0o711);
      const [file, told] = [join(folder.path, "hangs.test.ts"), join(folder.path, "pid")];
      await Bun.write(file, hangs(told));
      const { PATH, HOME } = process.env;
      await using run = new Child([join(ROOT, "bin/runtime"), join(ROOT, "scripts/test.ts"), file], {
        cwd: ROOT,
        env: { PATH, HOME, TMPDIR: temporary.path },
      });
      await Promise.race([until(() => existsSync(told)), failed(run)]);
      const processes = treeOf(run.pid);
      const [postgres, child] = JSON.parse(readFileSync(told, "utf8")) as [number, number];
      expect(processes).toContain(postgres);
      expect(processes).toContain(child);
      run.kill(signal);
      await until(() => readdirSync(temporary.path).length === 0);
      // Without its folder, PostgreSQL would notice within a minute and end by itself.
      expect(isThere(postgres)).toBe(false);
      await until(() => !processes.some(isThere));
      expect(await run.exited).not.toBe(0);
    },
  );

/** Rejects when a program ends. */
async function failed(program: Child): Promise<never> {
  const { stdout, stderr } = await program.ended();
  throw new Error(`the run ended by itself: ${stdout}${stderr}`);
}

test("a suite whose Debian packages are missing ends at once, and names them", async () => {
  using folder = temporaryFolder();
  // Of the packages that are asked for, this machine has one.
  const query = join(folder.path, "dpkg-query");
  await Bun.write(query, '#!/bin/sh\necho "postgresql installed"; echo "pgbouncer not-installed"; exit 1\n');
  chmodSync(query, 0o755);
  const { PATH, HOME } = process.env;
  await using run = new Child(
    [join(ROOT, "bin/runtime"), join(ROOT, "scripts/test.ts"), "postgres-servers"],
    {
      cwd: ROOT,
      env: { PATH: `${folder.path}:${PATH}`, HOME },
    },
  );
  expect(await run.ended()).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      "The suite postgres-servers needs Debian packages that this machine lacks: apt-get install pgbouncer\n",
  });
});
