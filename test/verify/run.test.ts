import { expect, test } from "bun:test";
import type { Check, Context, Outcome } from "../../verify/check.ts";
import { ProgramFailed } from "../../verify/program.ts";
import { runChecks } from "../../verify/run.ts";

/** The outcomes of a check whose instance ends, before or without an interruption. */
async function outcomesOf(interrupt: (abort: () => void) => void): Promise<Outcome[]> {
  const interrupted = new AbortController();
  const check: Check = {
    name: "kill",
    promise: "An instance starts.",
    unit: "kills",
    share: 1,
    async run() {
      interrupt(() => interrupted.abort());
      throw new ProgramFailed("an instance did not start");
    },
  };
  const context = { signal: interrupted.signal } as Context;
  return await Array.fromAsync(runChecks([check], 1000, () => context));
}

test("an instance that ends by the signal that interrupts the run is no failure, though its end is noticed first", async () => {
  expect(await outcomesOf(() => {})).toMatchObject([{ name: "kill", verdict: "failed" }]);
  await expect(outcomesOf((abort) => setImmediate(abort))).rejects.toThrow("aborted");
});
