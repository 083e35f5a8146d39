import { expect, test } from "bun:test";
import { temporaryFolder } from "../../test/support/folder.ts";
import { patchedProgram } from "../../test/support/patched-program.ts";
import { run } from "../../test/support/program.ts";
import { reportOf } from "../../test/verify/verify-report.ts";
import { shareOf } from "../share.ts";
import { DELIBERATE_FAULTS } from "./deliberate-faults.ts";

// A judge that never condemns proves nothing. Each copy of the program has one failure, of a kind of its own, and is to be
// found out by the check that is there for it. The judge of the copy is as it is: it shares nothing with what is broken.

for (const [name, { check, patch, told }] of shareOf(
  Object.entries(DELIBERATE_FAULTS),
  "deliberate faults",
)) {
  test(`${check} finds ${name}`, async () => {
    using folder = temporaryFolder();
    const program = patchedProgram(folder.path, [patch].flat());
    // It ends as soon as it has found the failure: the minute is for machines that are busy.
    const done = await run(["verify", "--only", check, "--minutes", "1", "--seed", "1", "--json"], {
      cwd: folder.path,
      program,
    });
    const { passed, checks } = reportOf(done);
    expect({ exitCode: done.exitCode, stderr: done.stderr, passed }).toEqual({
      exitCode: 1,
      stderr: `animal-store: ${check} failed.\n`,
      passed: false,
    });
    expect(checks.map(({ name, verdict }) => [name, verdict])).toEqual([[check, "failed"]]);
    const { expected, actual } = checks[0]?.failure ?? {};
    expect(expected === "what the contract says" ? actual : expected).toMatch(told);
    expect(checks[0]?.repeatCommand).toEndWith(`animal-store verify --seed 1 --minutes 1 --only ${check}`);
    expect(done.stdout).not.toContain("as_live_");
  });
}

test("sync finds a store that does not sync, where the kernel counts flushes", async () => {
  using folder = temporaryFolder();
  const patch = {
    file: "src/stores/sqlite/connection.ts",
    from: "PRAGMA synchronous = FULL",
    to: "PRAGMA synchronous = OFF",
  };
  const program = patchedProgram(folder.path, [patch]);
  const args = [
    "verify",
    "--only",
    "sync",
    "--minutes",
    "0.05",
    "--json",
    "--database",
    `sqlite:${folder.path}`,
  ];
  const [check] = reportOf(await run(args, { cwd: folder.path, program })).checks;
  // Where flushes are not counted, or others keep the disk busy, it must not be said that creates are synced.
  if (check?.verdict === "passed") expect(check.promise).not.toContain("each create waited for a sync");
  else expect(check?.failure?.expected ?? check?.details[0]).toMatch(/^at least one flush|does not sync/);
});
