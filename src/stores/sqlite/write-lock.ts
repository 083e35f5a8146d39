import type { Database } from "bun:sqlite";
import { isBusy } from "./errors.ts";

/** How long a connection waits for a lock that another process holds, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000;

const RETRY_EVERY_MS = 0.2;
/** Never notified, so waiting for it is sleeping. `Bun.sleepSync` cannot sleep for less than 1 ms. */
const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Runs work as one transaction that holds the write lock from its start. */
export function withWriteLock<Result>(
  database: Database,
  work: () => Result,
  lockWaitMs = BUSY_TIMEOUT_MS,
): Result {
  beginWithLock(database, lockWaitMs);
  try {
    const result = work();
    database.run("COMMIT");
    return result;
  } catch (error) {
    // Some errors have already ended the transaction.
    if (database.inTransaction) database.run("ROLLBACK");
    throw error;
  }
}

/** Begins a transaction that holds the write lock. */
export function beginWithLock(database: Database, lockWaitMs = BUSY_TIMEOUT_MS): void {
  disableBusyTimeout(database);
  try {
    retryWhileBusy(() => database.run("BEGIN IMMEDIATE"), lockWaitMs);
  } finally {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Makes a connection fail at once where a lock is held, for callers that retry with `retryWhileBusy`. */
export function disableBusyTimeout(database: Database): void {
  database.run("PRAGMA busy_timeout = 0");
}

/**
 * Retries work while another connection holds the lock that it starts by taking; it blocks the thread meanwhile. SQLite's
 * own busy handler backs off to one attempt each 100 ms. A busy writer leaves the lock free for less than 1 ms at a time,
 * so a waiter that backs off like that can starve for seconds.
 */
export function retryWhileBusy<Result>(work: () => Result, lockWaitMs = BUSY_TIMEOUT_MS): Result {
  const deadline = performance.now() + lockWaitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      Atomics.wait(NEVER_NOTIFIED, 0, 0, RETRY_EVERY_MS);
    }
  }
}
