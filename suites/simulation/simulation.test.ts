import { expect, test } from "bun:test";
import { shareOf } from "../share.ts";
import { type Run, type Scenario, simulate } from "./simulate.ts";

const VIRTUAL_MS = 20_000;
/** Lines of the history that a failure shows. */
const SHOWN = 40;

async function expectTruth(seed: number, scenario?: Scenario): Promise<Run> {
  const run = await simulate(seed, VIRTUAL_MS, scenario);
  if (run.wrong !== undefined) {
    throw new Error(`seed ${seed}: ${run.wrong}\n${run.history.slice(-SHOWN).join("\n")}`);
  }
  return run;
}

test("the same seed gives the same history", async () => {
  const [once, again] = [await simulate(1, VIRTUAL_MS), await simulate(1, VIRTUAL_MS)];
  expect(again).toEqual(once);
  expect(once.answered).toBeGreaterThan(100);
  expect(once.byStandbys).toBeGreaterThan(100);
});

test("a standby with another store is not believed, even where no log of either has a row", async () => {
  for (let seed = 1; seed <= 5; seed++)
    await expectTruth(seed, { first: "replaceStore", quietMs: 3000, faults: ["delayStandby"] });
});

test("nothing that was known counts once the primary goes on from an earlier version, whatever connections last", async () => {
  for (let seed = 1; seed <= 15; seed++) await expectTruth(seed, { faults: ["restorePrimary"] });
});

test("every answer is true while the seed decides what happens to the servers and the network", async () => {
  const seeds = Array.from({ length: 210 }, (_, at) => at + 100);
  let [answered, virtualMs] = [0, 0];
  const began = performance.now();
  for (const seed of shareOf(seeds, "seeds")) {
    const run = await expectTruth(seed);
    answered += run.answered;
    virtualMs += run.virtualMs;
  }
  const minutes = (performance.now() - began) / 60_000;
  const hours = virtualMs / 3_600_000;
  console.log(
    `${answered} answers judged in ${hours.toFixed(2)} simulated hours, ${(hours / minutes).toFixed(2)} hours a minute`,
  );
  expect(answered).toBeGreaterThan(0);
});
