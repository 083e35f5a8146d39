import { SQLiteError } from "bun:sqlite";
import { UnusableStore } from "./errors.ts";
import type { OnCopyProgress } from "./sqlite/backup/backup.ts";
import type { BackupContents } from "./sqlite/backup/backup-file.ts";
import type { Restored, RestoreOptions } from "./sqlite/backup/restore.ts";
import { describeError } from "./sqlite/errors.ts";
import { missingRights } from "./sqlite/missing-rights.ts";
import { fileOfStore } from "./url.ts";

/** Asserts that a file is a backup that can be restored, as far as its header tells. */
export async function inspectBackup(file: string): Promise<void> {
  (await import("./sqlite/backup/backup-file.ts")).assertBackup(file);
}

/**
 * Reads a whole backup, and verifies it.
 *
 * @param name the name of the backup in messages
 * @throws UnusableStore
 */
export async function checkBackup(file: string, name: string): Promise<BackupContents> {
  return (await import("./sqlite/backup/backup.ts"))
    .checkInThread(file, name)
    .catch((error: unknown) => rethrow(error, file));
}

/** Backs up and restores the store at a URL. Its methods throw an `UnusableStore` that says what cannot be done. */
export interface Backups {
  /** The file of the store, which a restore replaces. If the path is a link, this is its target. */
  readonly store: string;
  /** Copies the store, which may be in use, into an empty file, and verifies the copy. */
  backUp(copy: string, onProgress: OnCopyProgress): Promise<BackupContents>;
  /** The identity of the store. A file that was made as a backup, and is used as a store, becomes another store. */
  identify(): string;
  /** Asserts that a backup has these contents under its final name. */
  assertHolds(backup: string, contents: BackupContents): void;
  restore(options: Omit<RestoreOptions, "store">): Restored;
}

/**
 * @param otherwise says what to do instead, if the engine has its own backup tools
 * @throws UnusableStore in that case
 */
export async function backupsOf(url: string, otherwise: string): Promise<Backups> {
  const path = fileOfStore(url);
  if (path === undefined) throw new UnusableStore(otherwise);
  const { backUp } = await import("./sqlite/backup/backup.ts");
  const { assertBackupHolds } = await import("./sqlite/backup/backup-file.ts");
  const { restore } = await import("./sqlite/backup/restore.ts");
  const { identifyStore } = await import("./sqlite/backup/identify-store.ts");
  const { storeFileAt } = await import("./sqlite/store-files.ts");
  const store = storeFileAt(path);
  return {
    store,
    backUp: (copy, onProgress) =>
      backUp(store, copy, onProgress).catch((error: unknown) => {
        const reason = error instanceof SQLiteError && missingRights(store);
        return reason ? rethrowAs(`cannot open ${url}: ${reason}`, error) : rethrow(error, store);
      }),
    identify: () => identifyStore(store),
    assertHolds: assertBackupHolds,
    restore(options) {
      try {
        return restore({ ...options, store });
      } catch (error) {
        return rethrow(error, store);
      }
    },
  };
}

/**
 * The identity of the store at a URL, which must exist. `undefined` on PostgreSQL, where the database is the store, and while
 * the file cannot be read.
 */
export async function identityOf(url: string): Promise<string | undefined> {
  const path = fileOfStore(url);
  if (path === undefined) return undefined;
  const { identifyStore } = await import("./sqlite/backup/identify-store.ts");
  const { storeFileAt } = await import("./sqlite/store-files.ts");
  try {
    return identifyStore(storeFileAt(path));
  } catch (error) {
    if (error instanceof SQLiteError) return undefined;
    throw error;
  }
}

/** The identity of the store that a file is a backup of; `undefined` if the file does not say. */
export async function storeOfBackup(file: string): Promise<string | undefined> {
  const identity = (await import("./sqlite/store-identity.ts")).identityIn(file);
  return identity?.backedUpAt === undefined ? undefined : identity.id;
}

/** Turns an error of SQLite about a file into a message of one line. */
function rethrow(error: unknown, file: string): never {
  if (!(error instanceof SQLiteError)) throw error;
  return rethrowAs(describeError(error, file), error);
}

function rethrowAs(message: string, cause: Error): never {
  throw new UnusableStore(message, { cause });
}
