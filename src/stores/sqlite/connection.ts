import { Database, SQLiteError } from "bun:sqlite";
import { StoreFailure } from "../../domain/failure.ts";
import { fileBehindLink, shareAs } from "./file.ts";

/** How long a connection waits for a lock that another process holds, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000;

const BUSY_RETRY_MS = 10;
const LOCK_RETRY_MS = 0.2;
/** Nobody changes it: to wait for that is to sleep. `Bun.sleepSync` does not sleep for less than 1 ms. */
const UNCHANGING = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const BUSY = 5;

/**
 * SQLite's primary result codes (sqlite.org/rescode.html) that speak of the store's circumstances, not
 * of a mistake of ours: they may pass without a change of the program.
 */
const CIRCUMSTANCES = new Set([
  BUSY,
  7, // NOMEM
  8, // READONLY
  10, // IOERR
  11, // CORRUPT
  13, // FULL
  14, // CANTOPEN
  15, // PROTOCOL
  26, // NOTADB
]);

/**
 * The size to which the log is truncated when SQLite restarts it. SQLite would leave it as long as it has ever been: a
 * reader that held an earlier state for an hour would leave gigabytes behind for good.
 */
const LOG_BYTES = 16 * 1024 * 1024;

/** Opens a connection to an existing file, as every part of the store uses it. */
export function connect(file: string): Database {
  const database = new Database(file, { readwrite: true, create: false, safeIntegers: true, strict: true });
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    enterWal(database);
    // SQLite itself gives them the mode of the database, but its group only where root runs it.
    const real = fileBehindLink(file);
    for (const suffix of ["-wal", "-shm"]) shareAs(real + suffix, real);
    // FULL: a commit returns when it is on the disk, not when the kernel has it.
    database.run("PRAGMA synchronous = FULL");
    database.run("PRAGMA trusted_schema = OFF");
    database.run(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/**
 * Opens a connection that is to write.
 *
 * @throws SQLiteError also where the file can be read, but not written: SQLite opens such a file for
 *   reading, without a word, and the connection stays so when the file can be written again
 */
export function connectToWrite(file: string, lockWaitMs = BUSY_TIMEOUT_MS): Database {
  const database = connect(file);
  try {
    // Only a write finds that out: here one that is taken back.
    beginWithLock(database, lockWaitMs);
    database.run("PRAGMA user_version = 0");
    database.run("ROLLBACK");
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** SQLite does not wait to change the journal's mode, whatever the busy timeout: two first starts would collide. */
function enterWal(database: Database): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      Bun.sleepSync(BUSY_RETRY_MS);
    }
  }
}

/** Does a piece of work as one transaction, with the write lock from its start. */
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
    // An error may have ended it already.
    if (database.inTransaction) database.run("ROLLBACK");
    throw error;
  }
}

/** Begins a transaction with the write lock. */
export function beginWithLock(database: Database, lockWaitMs = BUSY_TIMEOUT_MS): void {
  disableBusyTimeout(database);
  try {
    retryWhileBusy(() => database.run("BEGIN IMMEDIATE"), lockWaitMs);
  } finally {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** From now on a connection does not wait for locks by itself: see `retryWhileBusy`. */
export function disableBusyTimeout(database: Database): void {
  database.run("PRAGMA busy_timeout = 0");
}

/**
 * Does, on a connection that waits for no lock by itself, what begins by taking the write lock: as soon as that is to
 * be had. SQLite asks for it ever more rarely, in the end each 100 ms, and a writer that is busy leaves it free
 * for less than one: who waits like that may wait for seconds.
 */
export function retryWhileBusy<Result>(work: () => Result, lockWaitMs = BUSY_TIMEOUT_MS): Result {
  const deadline = performance.now() + lockWaitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      Atomics.wait(UNCHANGING, 0, 0, LOCK_RETRY_MS);
    }
  }
}

/** Whether work failed because another connection holds a lock. */
export function isBusy(error: unknown): error is SQLiteError {
  return error instanceof SQLiteError && (error.errno & 0xff) === BUSY;
}

/** Whether an error tells of the store's circumstances: then the request may be tried again later. */
export function isTransient(error: unknown): error is SQLiteError {
  return error instanceof SQLiteError && CIRCUMSTANCES.has(error.errno & 0xff);
}

/** Does a piece of work on a connection, and turns circumstances into a `StoreFailure`. */
export function attempt<Result>(database: Database, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!isTransient(error)) throw error;
    dropPageCache(database);
    throw new StoreFailure("store_unavailable", `SQLite: ${error.code}: ${error.message}`, { cause: error });
  }
}

/**
 * Has a connection read its pages again. SQLite trusts what it has read until somebody commits: without
 * this, a file that could not be read, and then can, would stay unreadable. A transaction keeps its pages, so it is ended.
 */
export function dropPageCache(database: Database): void {
  try {
    if (database.inTransaction) database.run("ROLLBACK");
    database.run("PRAGMA shrink_memory");
  } catch {
    // The next piece of work will say what is wrong.
  }
}
