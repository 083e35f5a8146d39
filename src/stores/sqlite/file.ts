import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { UnusableStore } from "../errors.ts";
import { whyUnusable } from "./missing-rights.ts";
import { look, storeFileAt } from "./store-files.ts";

/**
 * Creates the file and its folder if they do not exist, accessible to the owner only. SQLite gives its companion files the
 * same mode.
 *
 * @throws UnusableStore if that cannot be done, or if the file can be no store
 */
export function createFile(file: string): void {
  storeFileAt(file);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // An existing file is not opened: closing it would drop the locks of this process's other connections (POSIX).
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  } catch (error) {
    throw new UnusableStore(`cannot write ${file}: ${whyUnusable(file, error)}`, { cause: error });
  }
}

/**
 * Whether a file exists. `existsSync` says no also if this user may not enter its folder.
 *
 * @throws UnusableStore if that is unknown
 */
export function fileExists(file: string): boolean {
  return look(file, statSync) !== undefined;
}

/** The part of a mode that says who may read and write. */
export const PERMISSIONS = 0o777;

/**
 * Gives a file next to a database the mode, owner and group of the database, as far as this user may set them: every user
 * who may open the database must be able to open the file. A group that is not the database's gets no rights.
 *
 * This process may be root, and the folder may belong to a less trusted user. A link that this user puts in place of the
 * file is not followed.
 */
export function shareAs(file: string, database: string): void {
  const wanted = statSync(database);
  const own = lstatSync(file, { throwIfNoEntry: false });
  if (!own?.isFile() || isShared(own, wanted)) return;
  try {
    if (process.platform === "linux") shareInPlace(file, wanted);
    else share(file, wanted);
  } catch {
    // It is another user's, who has shared it.
  }
}

function isShared(own: Stats, wanted: Stats): boolean {
  return own.uid === wanted.uid && own.gid === wanted.gid && ((own.mode ^ wanted.mode) & PERMISSIONS) === 0;
}

/** Linux's flag for a descriptor that only names a file (open(2)). Unlike other descriptors, closing it drops no lock. */
const O_PATH = 0o10000000;

/** Holds the file open, so that nobody can put a link in its place between the check and the change. */
function shareInPlace(file: string, wanted: Stats): void {
  const descriptor = openSync(file, O_PATH | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(descriptor).isFile()) return;
    share(`/proc/self/fd/${descriptor}`, wanted);
  } finally {
    closeSync(descriptor);
  }
}

const OF_GROUP = 0o070;

function share(path: string, wanted: Stats): void {
  // Only root can give a file to another owner; its owner can give it to a group that this user belongs to.
  if (!tryChown(path, wanted.uid, wanted.gid)) tryChown(path, KEPT, wanted.gid);
  const isOfGroup = statSync(path).gid === wanted.gid;
  chmodSync(path, wanted.mode & PERMISSIONS & (isOfGroup ? PERMISSIONS : ~OF_GROUP));
}

/** Leaves the owner as it is (chown(2)). */
const KEPT = -1;

function tryChown(path: string, uid: number, gid: number): boolean {
  try {
    chownSync(path, uid, gid);
    return true;
  } catch {
    return false;
  }
}
