import type { Check, Context, Outcome } from "./check.ts";
import { backupCheck } from "./checks/backup.ts";
import { contractCheck } from "./checks/contract.ts";
import { fuzzCheck } from "./checks/fuzz.ts";
import { killCheck } from "./checks/kill.ts";
import { modelCheck } from "./checks/model.ts";
import { syncCheck } from "./checks/sync.ts";
import { outcomeOf } from "./finding-of.ts";

/** In the order in which `verify` runs them. */
export const CHECKS: readonly Check[] = [
  syncCheck,
  contractCheck,
  modelCheck,
  killCheck,
  backupCheck,
  fuzzCheck,
];

/**
 * Ctrl+C also reaches an instance that has not yet left this process's group. Its end may be noticed this long before the
 * signal, in milliseconds, and must not count as a failure.
 */
const SIGNAL_MS = 50;

/** Runs checks one after the other, each for its share of the time. */
export async function* runChecks(
  checks: readonly Check[],
  totalMs: number,
  contextOf: (check: Check) => Omit<Context, "budgetMs">,
): AsyncGenerator<Outcome> {
  const shares = checks.reduce((sum, { share }) => sum + share, 0);
  for (const check of checks) {
    const context = { ...contextOf(check), budgetMs: (totalMs * check.share) / shares };
    const outcome = await outcomeOf(check, () => check.run(context));
    if (outcome.verdict === "failed") await Bun.sleep(SIGNAL_MS);
    context.signal.throwIfAborted();
    yield outcome;
  }
}
