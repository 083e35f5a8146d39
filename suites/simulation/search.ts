import { test } from "bun:test";
import { Inconclusive } from "../../contract/contract-violation.ts";
import { KEPT } from "./kept.ts";
import { planOf } from "./plan.ts";
import { simulate } from "./simulate.ts";

// Looks for a plan with a wrong answer, among those that were kept first, and says which one it was. `checks.test.ts` runs this
// without a check.

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 60);
const VIRTUAL_MS = 10_000;
const SEARCH_MAX_MS = 10 * 60_000;
/** How a run ends that could not be judged. */
const UNAVAILABLE = Inconclusive.of503("").message;

test(
  "search",
  async () => {
    const seeds = Array.from({ length: SEEDS }, (_, at) => planOf(at + 1, VIRTUAL_MS));
    let virtualMs = 0;
    for (const plan of [...KEPT.map(({ plan }) => plan), ...seeds]) {
      const run = await simulate(plan).catch((error: unknown) => ({ wrong: `${error}`, virtualMs: 0 }));
      virtualMs += run.virtualMs;
      if (run.wrong === undefined || run.wrong.includes(UNAVAILABLE)) continue;
      const { seed } = plan;
      process.stdout.write(`FOUND ${JSON.stringify({ seed, virtualMs, wrong: run.wrong.slice(0, 300) })}\n`);
      return;
    }
    process.stdout.write(`NOT FOUND ${JSON.stringify({ seeds: SEEDS, virtualMs })}\n`);
  },
  SEARCH_MAX_MS,
);
