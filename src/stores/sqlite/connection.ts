import { Database } from "bun:sqlite";
import { StoreFailure } from "../../domain/failure.ts";
import { closeOnFailure } from "../close-on-failure.ts";
import { describeError, isTransient } from "./errors.ts";
import { shareAs } from "./file.ts";
import { logOf, sharedMemoryOf } from "./store-files.ts";
import { BUSY_TIMEOUT_MS, beginWithLock, retryWhileBusy } from "./write-lock.ts";

/**
 * The size to which SQLite truncates the write-ahead log when it restarts it. Without a limit the file keeps its greatest
 * length: a reader that held an old snapshot for an hour would leave gigabytes behind for good.
 */
const LOG_BYTES = 16 * 1024 * 1024;

/** Opens an existing file as it is. Integers are bigints, and a statement must name its parameters as they are given. */
export function openDatabase(file: string): Database {
  return new Database(file, { readwrite: true, create: false, safeIntegers: true, strict: true });
}

/**
 * Opens a connection to an existing file with the settings that every part of the store relies on.
 *
 * @param file as `storeFileAt` returns it
 */
export function connect(file: string): Database {
  const database = openDatabase(file);
  closeOnFailure(database, () => {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Changing the journal mode ignores the busy timeout, so two first starts would collide.
    retryWhileBusy(() => database.run("PRAGMA journal_mode = WAL"));
    // SQLite gives these files the mode of the database, but its group only if root runs the program.
    for (const companion of [logOf(file), sharedMemoryOf(file)]) shareAs(companion, file);
    // FULL: a commit returns when it is on the disk, not when the kernel has it.
    database.run("PRAGMA synchronous = FULL");
    database.run("PRAGMA trusted_schema = OFF");
    database.run(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
  });
  return database;
}

/**
 * Opens a connection that can write.
 *
 * @param lockWaitMs how long it may wait for the write lock
 * @throws SQLiteError also if the file is read-only: SQLite silently opens such a file for reading, and the connection
 *   stays read-only even when the file becomes writable
 */
export function connectToWrite(file: string, lockWaitMs = BUSY_TIMEOUT_MS): Database {
  const database = connect(file);
  closeOnFailure(database, () => {
    // Only a write reveals that. This one is rolled back.
    beginWithLock(database, lockWaitMs);
    database.run("PRAGMA user_version = 0");
    database.run("ROLLBACK");
  });
  return database;
}

/** Runs work on a connection and turns transient errors into a `StoreFailure`. */
export function attempt<Result>(database: Database, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!isTransient(error)) throw error;
    dropPageCache(database);
    throw new StoreFailure("store_unavailable", describeError(error, database.filename), { cause: error });
  }
}

/**
 * Makes a connection read its pages again. SQLite trusts its page cache until somebody commits, so without this a file
 * that could not be read for a while would stay unreadable. A transaction pins its pages, so it is rolled back.
 */
export function dropPageCache(database: Database): void {
  try {
    if (database.inTransaction) database.run("ROLLBACK");
    database.run("PRAGMA shrink_memory");
  } catch {
    // The next statement will report what is wrong.
  }
}
