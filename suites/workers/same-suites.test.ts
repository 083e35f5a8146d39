import { expect, test } from "bun:test";
import { join } from "node:path";
import { TIED } from "../../test/support/program.ts";

const ROOT = join(import.meta.dir, "../..");

/** Suites that hold for one process as for several, and of the longer ones a part. */
const SUITES: Readonly<Record<string, string | undefined>> = {
  "suites/faults/stop.test.ts": "SIGTERM under load",
  "test/service/tls.test.ts": "SIGHUP replaces",
  "test/durability/crash.test.ts": undefined,
  "suites/floods/overload.test.ts": "over HTTP",
};

for (const [file, part] of Object.entries(SUITES)) {
  test(`${file}, of a service with two workers`, async () => {
    const command = [...TIED, join(ROOT, "bin/runtime"), "test", file, ...(part ? ["-t", part] : [])];
    const { PATH = "", HOME = "" } = process.env;
    await using suite = Bun.spawn(command, {
      cwd: ROOT,
      env: { PATH, HOME, TEST_WORKERS: "2" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const output = await new Response(suite.stderr).text();
    expect({ exitCode: await suite.exited, output }).toEqual({
      exitCode: 0,
      output: expect.stringMatching(/\n [1-9]\d* pass\n/),
    });
  });
}
