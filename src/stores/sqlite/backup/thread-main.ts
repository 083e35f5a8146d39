// A thread that copies a store and verifies copies, so that the main thread can report progress meanwhile.
import { SQLiteError } from "bun:sqlite";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { connect, openDatabase } from "../connection.ts";
import { markAsBackup } from "../store-identity.ts";
import { type BackupContents, checkBackup } from "./backup-file.ts";

export interface BackupTask {
  /** The store to copy; `undefined` to verify an existing copy. */
  readonly store: string | undefined;
  /** An empty file to copy into, or the copy to verify. */
  readonly copy: string;
  /** The name of the copy in messages. */
  readonly name: string;
}

export type BackupReport =
  | { readonly stage: "copied" }
  | { readonly stage: "checked"; readonly contents: BackupContents }
  | { readonly stage: "failed"; readonly problem: string };

/** The low byte of the codes that begin with SQLITE_IOERR. */
const IO_ERROR = 10;

const { store, copy, name } = workerData as BackupTask;
const report = (message: BackupReport) => parentPort?.postMessage(message);

try {
  if (store !== undefined) {
    using database = connect(store);
    const now = Date.now();
    // One read transaction, so the copy is of a single moment; in WAL mode it blocks no writer. VACUUM keeps user_version,
    // application_id and the last ids given (sqlite.org/lang_vacuum.html).
    database.query("VACUUM INTO ?").run(copy);
    using copied = openDatabase(copy);
    markAsBackup(copied, now);
  }
  report({ stage: "copied" });
  report({ stage: "checked", contents: checkBackup(copy, name) });
} catch (error) {
  report({ stage: "failed", problem: problemOf(error) });
}

function problemOf(error: unknown): string {
  if (error instanceof SQLiteError && error.code === "SQLITE_FULL")
    return `${dirname(copy)} has no room for the copy: ${error.message}. Make room, or name a file on another disk.`;
  if (error instanceof SQLiteError && (error.errno & 0xff) === IO_ERROR) {
    const files = store === undefined ? `${copy} cannot be read` : `${store} cannot be copied to ${copy}`;
    return `${files}: ${error.code}: ${error.message}. A disk fails, and the kernel's log (\`dmesg\`) says which.`;
  }
  return error instanceof Error ? error.message : String(error);
}
