import { afterAll, test } from "bun:test";
import { join } from "node:path";
import { TIED } from "../../test/support/program.ts";
import { shareOf } from "../share.ts";
import { CHECKS } from "./checks.ts";

// A simulation that finds nothing without a check would prove nothing of that check.

const ROOT = join(import.meta.dir, "../..");
/** All are found within the first twenty, or by a plan that was kept. */
const SEEDS_MAX = 80;
const found: { check: string; seed: number; "simulated seconds": number; wrong: string }[] = [];
afterAll(() => console.table(found));

for (const each of shareOf(CHECKS, "checks removed")) {
  test(`a seed finds what goes wrong without: ${each.check}`, async () => {
    const file = "./suites/simulation/search.ts";
    const preload = "./suites/simulation/break.ts";
    await using run = Bun.spawn([...TIED, "bin/runtime", "test", "--preload", preload, file], {
      cwd: ROOT,
      env: {
        ...process.env,
        SIMULATION_WITHOUT: `${CHECKS.indexOf(each)}`,
        SIMULATION_SEEDS: `${SEEDS_MAX}`,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
    ]);
    const [, text] = /^FOUND (.*)$/m.exec(output) ?? [];
    if (text === undefined) throw new Error(`no seed of ${SEEDS_MAX} found it:\n${output}\n${errors}`);
    const { seed, virtualMs, wrong } = JSON.parse(text);
    found.push({
      check: each.check,
      seed,
      "simulated seconds": Math.round(virtualMs / 1000),
      wrong: wrong.slice(0, 60),
    });
  });
}
