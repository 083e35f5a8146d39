import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { installClientPackage } from "../../test/support/client-package.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { run } from "../../test/support/program.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";

// The clients of bench/notes/judges.md; suites/generators has the generated one.

const JUDGED = join(import.meta.dir, "judged");

interface Case {
  readonly client: string;
  readonly command: () => readonly string[];
  /** Ids of rules. */
  readonly failed: string[];
  readonly untested: string[];
}

test(
  "our own client gets full marks",
  async () => {
    using folder = temporaryFolder();
    await installClientPackage(folder.path);
    cpSync(join(JUDGED, "our-client.mjs"), join(folder.path, "our-client.mjs"));
    const command = [requiredProgram("node"), "our-client.mjs"];
    const { exitCode, stdout } = await run(["sandbox", "judge", "--", ...command], { cwd: folder.path });
    expect(stdout).toContain("15 passed: 100 of 100");
    expect(exitCode).toBe(0);
  },
  LONG_RUN_MS,
);

test(
  "an ordinary suite of a program with our client reaches the threshold of the job for GitHub Actions",
  async () => {
    using folder = temporaryFolder();
    await installClientPackage(folder.path);
    cpSync(join(JUDGED, "suite.mjs"), join(folder.path, "suite.test.mjs"));
    const job = await Bun.file(join(import.meta.dir, "../../examples/ci/github-actions.yml")).text();
    const [, threshold = ""] = /sandbox judge --threshold (\d+)/.exec(job) ?? [];
    const command = [requiredProgram("node"), "--test", "suite.test.mjs"];
    const args = ["sandbox", "judge", "--threshold", threshold, "--", ...command];
    const { exitCode, stdout } = await run(args, { cwd: folder.path });
    // Two tests that fetch the same order, and three calls in parallel, are no fault of the client.
    expect(stdout).not.toMatch(/^ {2}failed /m);
    expect(exitCode).toBe(0);
  },
  LONG_RUN_MS,
);

test.each<Case>([
  {
    client: "curl with --retry",
    command: () => {
      requiredProgram("curl");
      return [requiredProgram("sh"), join(JUDGED, "curl.sh")];
    },
    failed: ["succeeds-with-faults", "survives-breaks", "notices-deprecation"],
    untested: ["uses-etag"],
  },
  {
    client: "fetch without care",
    command: () => [requiredProgram("node"), join(JUDGED, "naive-fetch.mjs")],
    failed: [
      "succeeds-with-faults",
      "survives-breaks",
      "survives-outages",
      "keyed-creates",
      "exact-integers",
      "follows-links",
      "uses-etag",
      "notices-deprecation",
    ],
    untested: ["heeds-retry-after", "same-key", "fresh-keys", "whole-lists"],
  },
])(
  "$client fails where the page says",
  async ({ command, failed, untested }) => {
    using folder = temporaryFolder();
    const { stdout } = await run(["sandbox", "judge", "--json", "--", ...command()], { cwd: folder.path });
    const { rules } = JSON.parse(stdout) as { rules: readonly { id: string; verdict: string }[] };
    const of = (verdict: string) => rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id);
    expect({ failed: of("failed"), untested: of("untested") }).toEqual({ failed, untested });
  },
  LONG_RUN_MS,
);
