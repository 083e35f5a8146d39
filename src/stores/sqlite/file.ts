import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UnusableStore } from "../unusable-store.ts";

/**
 * Makes the file and its folder where they do not exist, for the owner alone: it holds a store's
 * stock. SQLite gives its companion files the same mode.
 */
export function createFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // One that exists is not opened: closing it would drop the locks of another connection of this process.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  } catch (error) {
    throw new UnusableStore(`cannot write ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** The part of a mode that says who may read and write. */
export const PERMISSIONS = 0o777;

/**
 * Gives a file beside a database the mode, the owner and the group of the database, as far as they are ours to give:
 * whoever may open the one must be able to open the other. It opens neither.
 */
export function shareAs(file: string, database: string): void {
  const wanted = statSync(database);
  const own = statSync(file, { throwIfNoEntry: false });
  if (own === undefined) return;
  const mode = wanted.mode & PERMISSIONS;
  try {
    if (own.uid !== wanted.uid || own.gid !== wanted.gid) chownSync(file, wanted.uid, wanted.gid);
    if ((own.mode & PERMISSIONS) !== mode) chmodSync(file, mode);
  } catch {
    // A user gives away no file of its own, takes none of another's, and gives no group that it is not in.
  }
}
