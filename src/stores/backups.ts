import { SQLiteError } from "bun:sqlite";
import { UnusableStore } from "./errors.ts";
import type { OnCopyProgress } from "./sqlite/backup/backup.ts";
import type { BackupContents } from "./sqlite/backup/backup-file.ts";
import type { Restored, RestoreOptions } from "./sqlite/backup/restore.ts";
import { fileOfStore } from "./url.ts";

/** How the store at a URL is saved and brought back. What cannot be done is told by an `UnusableStore`. */
export interface Backups {
  /** The store's own file, which a restore replaces; not a link to it. */
  readonly store: string;
  /** Copies the store, which may be in use, into an empty file, and checks the copy. */
  backUp(copy: string, onProgress: OnCopyProgress): Promise<BackupContents>;
  /** Looks at the outside of a backup: whose it is, its version, its size. */
  inspect(backup: string): void;
  /** Reads all of a backup. */
  check(copy: string, name: string): Promise<BackupContents>;
  restore(options: Omit<RestoreOptions, "store">): Restored;
}

/**
 * @param otherwise what to do instead, where the engine has tools of its own
 * @throws UnusableStore there
 */
export async function backupsOf(url: string, otherwise: string): Promise<Backups> {
  const path = fileOfStore(url);
  if (path === undefined) throw new UnusableStore(otherwise);
  const { backUp, checkInThread } = await import("./sqlite/backup/backup.ts");
  const { assertBackup } = await import("./sqlite/backup/backup-file.ts");
  const { restore } = await import("./sqlite/backup/restore.ts");
  const { fileBehindLink } = await import("./sqlite/file.ts");
  const store = fileBehindLink(path);
  return {
    store,
    backUp: (copy, onProgress) => backUp(store, copy, onProgress).catch(rethrow),
    inspect: assertBackup,
    check: (copy, name) => checkInThread(copy, name).catch(rethrow),
    restore(options) {
      try {
        return restore({ ...options, store });
      } catch (error) {
        return rethrow(error);
      }
    },
  };
}

/** Whatever SQLite cannot do here is told in one line. */
function rethrow(error: unknown): never {
  if (!(error instanceof SQLiteError)) throw error;
  throw new UnusableStore(`SQLite: ${error.code}: ${error.message}`, { cause: error });
}
