import type { Database } from "bun:sqlite";
import type { EventSink } from "../../domain/event.ts";
import { StoreFailure } from "../../domain/failure.ts";
import { attempt, beginWithLock, isBusy, withWriteLock } from "./connection.ts";

/** How long a command waits for the write lock: the import of another may hold it for many seconds. */
const TURN_TIMEOUT_MS = 60_000;
/** How long one look for the lock may keep signals and timers waiting. */
const LOOK_MS = 100;
/** A shorter wait is not worth a word. */
const REPORT_AFTER_MS = 1000;

/**
 * Does a command's work that begins by taking the write lock. Requests give up after 5 s; a command waits longer, and
 * can be interrupted meanwhile.
 *
 * @param work takes the lock within so many milliseconds, or fails and has changed nothing
 * @param emit told that it waits
 * @throws StoreFailure where others hold the lock for too long, else what `work` throws
 */
export async function inTurn<Result>(work: (lockWaitMs: number) => Result, emit: EventSink): Promise<Result> {
  const began = performance.now();
  let reported = false;
  for (;;) {
    try {
      return work(LOOK_MS);
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

/** Changes a database in one transaction, as `inTurn`. */
export function changeInTurn<Result>(
  database: Database,
  work: () => Result,
  emit: EventSink,
): Promise<Result> {
  return translated(
    database,
    inTurn((lockWaitMs) => withWriteLock(database, work, lockWaitMs), emit),
  );
}

/** Begins a transaction with the write lock, as `inTurn`. */
export function beginInTurn(database: Database, emit: EventSink): Promise<void> {
  return translated(
    database,
    inTurn((lockWaitMs) => beginWithLock(database, lockWaitMs), emit),
  );
}

function translated<Result>(database: Database, work: Promise<Result>): Promise<Result> {
  return work.catch((error) =>
    attempt(database, () => {
      throw error;
    }),
  );
}
