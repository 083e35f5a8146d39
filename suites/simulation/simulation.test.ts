import { expect, test } from "bun:test";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOf } from "../share.ts";
import { KEPT } from "./kept.ts";
import { type Plan, planOf, shortened } from "./plan.ts";
import { type Run, simulate } from "./simulate.ts";

const VIRTUAL_MS = 10_000;
const SEEDS = 210;
/** Lines of the history that a failure shows, and answers before the wrong one among them. */
const LINES_SHOWN = 60;
const ANSWERS_SHOWN = 8;

/** @throws Error with the history, and with the shortest plan that still fails */
async function expectTruth(plan: Plan): Promise<Run> {
  const run = await simulate(plan);
  if (run.wrong === undefined) return run;
  const shortest = await shortened(plan, async (shorter) => {
    const { wrong, virtualMs } = await simulate(shorter);
    return wrong === undefined ? undefined : virtualMs;
  });
  const { wrong, history } = await simulate(shortest);
  throw new Error(
    `seed ${plan.seed}: ${wrong ?? run.wrong}\nthe shortest plan, for kept.ts: ${JSON.stringify(shortest)}\n${readable(history)}`,
  );
}

/** What happened to the servers, what the instances logged, and the last answers. */
function readable(history: readonly string[]): string {
  const isAnswer = (line: string) => / answers \d+ to /.test(line);
  const answersFrom = history.length - 1 - ANSWERS_SHOWN;
  const shown = history.filter((line, at) => at > answersFrom || !isAnswer(line));
  return shown.slice(-LINES_SHOWN).join("\n");
}

test("the same plan gives the same run", async () => {
  for (const seed of [1, 7]) {
    const plan = planOf(seed, VIRTUAL_MS);
    const [once, again] = [await simulate(plan), await simulate(plan)];
    expect(again).toEqual(once);
    expect(once.answered).toBeGreaterThan(100);
    expect(once.byStandbys).toBeGreaterThan(10);
    expect(once.acknowledged).toBeGreaterThan(10);
  }
});

for (const { shows, plan } of KEPT) {
  test(`kept: ${shows}`, async () => {
    await expectTruth(plan);
  });
}

test("a plan that fails is shortened to what it takes to fail", async () => {
  const plan = planOf(1, 60_000);
  const [first, , third] = plan.faults;
  if (!first || !third) throw new Error("the plan has too few faults");
  const shortest = await shortened(plan, async ({ faults, virtualMs }) => {
    const needed = [first, third].every((each) => faults.includes(each));
    return needed && virtualMs > third.at ? third.at : undefined;
  });
  expect(shortest.faults).toEqual([first, third]);
  expect(shortest.virtualMs).toBe(third.at + 1);
});

test(
  "every answer is right, and nothing acknowledged is lost, while a seed decides what happens to the servers",
  async () => {
    const seeds = Array.from({ length: SEEDS }, (_, at) => at + 100);
    let [answered, acknowledged, unavailable, virtualMs] = [0, 0, 0, 0];
    const began = performance.now();
    for (const seed of shareOf(seeds, "seeds")) {
      const run = await expectTruth(planOf(seed, VIRTUAL_MS));
      answered += run.answered;
      acknowledged += run.acknowledged;
      unavailable += run.unavailable;
      virtualMs += run.virtualMs;
    }
    const minutes = (performance.now() - began) / 60_000;
    const hours = virtualMs / 3_600_000;
    console.log(
      `${answered} answers judged, ${acknowledged} writes acknowledged, ${unavailable} answers 503; ` +
        `${hours.toFixed(2)} simulated hours, ${(hours / minutes).toFixed(2)} hours a minute`,
    );
    expect(acknowledged).toBeGreaterThan(0);
  },
  LONG_RUN_MS,
);
