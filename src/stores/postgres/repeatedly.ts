import type { Work } from "./connect/connection.ts";
import { isDeadlock } from "./errors.ts";
import type { Transactions } from "./transactions.ts";

/** The number of attempts if transactions by hand get in the way of a write. */
const ATTEMPTS_MAX = 3;

/** What to do about ids that were taken by hand. */
interface Remedy {
  /** Whether a write was rolled back because of such an id. */
  isTaken(error: unknown): boolean;
  /** Raises the sequences beyond all ids that are there. */
  readonly raise: Work<unknown>;
}

/**
 * Repeats a write while its clients still wait, if PostgreSQL has rolled it back because of a transaction by hand: a deadlock,
 * or an id that was taken. A write whose outcome is unknown is never repeated.
 */
export async function repeatedly<Result>(
  transactions: Transactions,
  { isTaken, raise }: Remedy,
  write: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !(isDeadlock(error) || isTaken(error))) throw error;
      await transactions.commit(raise);
      if (transactions.isOverdue) throw error;
    }
  }
}
