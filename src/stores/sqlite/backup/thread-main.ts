// A thread that copies a store and checks copies, so that the one who waits can tell how far it is.
import { parentPort, workerData } from "node:worker_threads";
import { connect } from "../connection.ts";
import { type BackupContents, checkBackup } from "./backup-file.ts";

export interface BackupTask {
  /** What is to be copied; `undefined` where the copy is there and is only to be checked. */
  readonly store: string | undefined;
  /** An empty file, or the copy. */
  readonly copy: string;
  /** What the copy is called in messages. */
  readonly name: string;
}

export type BackupReport =
  | { readonly stage: "copied" }
  | { readonly stage: "checked"; readonly contents: BackupContents }
  | { readonly stage: "failed"; readonly problem: string };

const { store, copy, name } = workerData as BackupTask;
const report = (message: BackupReport) => parentPort?.postMessage(message);

try {
  if (store !== undefined) {
    using database = connect(store);
    // One read transaction, which in WAL mode no writer waits for: the copy is of one moment. It keeps
    // user_version, application_id and the last ids given (sqlite.org/lang_vacuum.html).
    database.query("VACUUM INTO ?").run(copy);
  }
  report({ stage: "copied" });
  report({ stage: "checked", contents: checkBackup(copy, name) });
} catch (error) {
  report({ stage: "failed", problem: error instanceof Error ? error.message : String(error) });
}
