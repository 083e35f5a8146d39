import { expect, test } from "bun:test";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { run } from "../../test/support/program.ts";
import { storePlace } from "../../test/support/store-place.ts";

test("a backup is made where a sandbox lets no program lower its priority", async () => {
  using here = storePlace();
  await here.run("seed", "--count", "3");
  const refusal = ["-e", "inject=setpriority:error=EPERM"];
  const sandbox = [requiredProgram("strace"), "-D", "-f", "-qq", ...refusal, "-o", "/dev/null"];
  const { exitCode, stderr } = await run(["backup", "a.bak"], { ...here, before: sandbox });
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Backed up 3 animals")]);
});
