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

test("a backup to a disk that fails names both files and where to look", async () => {
  using here = storePlace();
  await here.run("seed", "--count", "5000");
  // The first writes lengthen the shared memory.
  const failure = ["-e", "trace=pwrite64", "-e", "inject=pwrite64:error=EIO:when=60+"];
  const failing = [requiredProgram("strace"), "-D", "-f", "-qq", ...failure, "-o", "/dev/null"];
  const { exitCode, stderr } = await run(["backup", "a.bak"], { ...here, before: failing });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(
      /\.db cannot be copied to a\.bak\S*: SQLITE_IOERR\w*: disk I\/O error\. A disk fails/,
    ),
  ]);
});
