import type { Database } from "bun:sqlite";
import { StoreFailure } from "../../domain/failure.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { ObservationSink } from "../../observations/observation.ts";
import { attempt } from "./connection.ts";
import { isBusy } from "./errors.ts";
import { beginWithLock } from "./write-lock.ts";

/** How long a command waits for the write lock: another command's import may hold it for many seconds. */
const TURN_TIMEOUT_MS = 60_000;
/** How long one attempt may block the thread, and with it signals and timers. */
const ATTEMPT_MS = 100;
/** A shorter wait is not reported. */
const REPORT_AFTER_MS = 1000;

/**
 * Runs a command's work once the write lock is free. Requests give up after 5 s; a command waits longer, and can be
 * interrupted meanwhile.
 *
 * @param work takes the lock within this many milliseconds, or fails without having changed anything
 * @param emit receives an event if the command has to wait
 * @throws StoreFailure if others hold the lock for too long; otherwise what `work` throws
 */
export async function inTurn<Result>(
  work: (lockWaitMs: number) => Result,
  emit: ObservationSink,
): Promise<Result> {
  const began = performance.now();
  let reported = false;
  for (;;) {
    try {
      return work(ATTEMPT_MS);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const waited = performance.now() - began;
    if (waited >= TURN_TIMEOUT_MS) {
      throw new StoreFailure(
        "store_unavailable",
        `another program has been writing to the store for ${TURN_TIMEOUT_MS / 1000} s, and nothing was changed; ` +
          "run the command again when that has finished.",
      );
    }
    if (!reported && waited >= REPORT_AFTER_MS) {
      reported = true;
      const description = "another program that is writing to the store";
      emit({ event: "waiting_for_locks", work: "the command", holders: [], description });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Runs a command's work as one transaction that holds the write lock from its start; waits for the lock as `inTurn` does.
 *
 * @throws StoreFailure also for a transient error; otherwise what `work` throws
 */
export async function changeInTurn<Result>(
  database: Database,
  work: () => MaybePromise<Result>,
  emit: ObservationSink,
): Promise<Result> {
  try {
    await inTurn((lockWaitMs) => beginWithLock(database, lockWaitMs), emit);
    const result = await work();
    database.run("COMMIT");
    return result;
  } catch (error) {
    return attempt(database, () => {
      // Some errors have already ended the transaction.
      if (database.inTransaction) database.run("ROLLBACK");
      throw error;
    });
  }
}
