import type { Check, Context, Finding, Outcome } from "./check.ts";
import { backupCheck } from "./checks/backup.ts";
import { contractCheck } from "./checks/contract.ts";
import { fuzzCheck } from "./checks/fuzz.ts";
import { killCheck } from "./checks/kill.ts";
import { modelCheck } from "./checks/model.ts";
import { syncCheck } from "./checks/sync.ts";
import { findingOf } from "./finding-of.ts";

/** In the order in which `verify` runs them. */
export const CHECKS: readonly Check[] = [
  syncCheck,
  contractCheck,
  modelCheck,
  killCheck,
  backupCheck,
  fuzzCheck,
];

/** Runs checks one after the other, each for its share of the time. */
export async function* runChecks(
  checks: readonly Check[],
  totalMs: number,
  contextOf: (check: Check) => Omit<Context, "budgetMs">,
): AsyncGenerator<Outcome> {
  const shares = checks.reduce((sum, { share }) => sum + share, 0);
  for (const check of checks) {
    const began = performance.now();
    const context = { ...contextOf(check), budgetMs: (totalMs * check.share) / shares };
    const finding = await runCheck(check, context);
    context.signal.throwIfAborted();
    const { name, promise } = check;
    yield { name, promise, ...finding, seconds: (performance.now() - began) / 1000 };
  }
}

async function runCheck(check: Check, context: Context): Promise<Finding> {
  try {
    return await check.run(context);
  } catch (error) {
    const finding = findingOf(error);
    if (!finding) throw error;
    return finding;
  }
}
