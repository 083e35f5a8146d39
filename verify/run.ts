import type { Check, Context, Finding, Outcome } from "./check.ts";
import { backupCheck } from "./checks/backup.ts";
import { contractCheck } from "./checks/contract.ts";
import { rubbishCheck } from "./checks/fuzz.ts";
import { killCheck } from "./checks/kill.ts";
import { modelCheck } from "./checks/model.ts";
import { syncCheck } from "./checks/sync.ts";
import { findingOf } from "./fault-of.ts";

/** In the order in which they are made. */
export const CHECKS: readonly Check[] = [
  syncCheck,
  contractCheck,
  modelCheck,
  killCheck,
  backupCheck,
  rubbishCheck,
];

/** Makes checks one after the other, each in its share of the time, and tells what came of each. */
export async function* runChecks(
  checks: readonly Check[],
  totalMs: number,
  contextOf: (check: Check) => Omit<Context, "budgetMs">,
): AsyncGenerator<Outcome> {
  const shares = checks.reduce((sum, { share }) => sum + share, 0);
  for (const check of checks) {
    const began = performance.now();
    const context = { ...contextOf(check), budgetMs: (totalMs * check.share) / shares };
    const finding = await make(check, context);
    context.signal.throwIfAborted();
    const { name, promise } = check;
    yield { name, promise, ...finding, seconds: (performance.now() - began) / 1000 };
  }
}

async function make(check: Check, context: Context): Promise<Finding> {
  try {
    return await check.run(context);
  } catch (error) {
    const finding = findingOf(error);
    if (!finding) throw error;
    return finding;
  }
}
