import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { UnusableStore } from "../errors.ts";

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

/**
 * The file behind a symbolic link. SQLite follows a link, and keeps the log and the shared memory beside the file that
 * the link leads to. Links among the folders of a path change nothing, and stay in it.
 */
export function fileBehindLink(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink && existsSync(file) ? realpathSync(file) : file;
}

/** The part of a mode that says who may read and write. */
export const PERMISSIONS = 0o777;

/**
 * Gives a file beside a database the mode, the owner and the group of the database, as far as they are ours to give:
 * a user who may open the database must be able to open the file.
 *
 * The folder may belong to a less trusted user than the one who runs this, root for example. A link that such a user
 * puts there is not followed.
 */
export function shareAs(file: string, database: string): void {
  const wanted = statSync(database);
  const own = lstatSync(file, { throwIfNoEntry: false });
  if (!own?.isFile() || isShared(own, wanted)) return;
  try {
    if (process.platform === "linux") shareInPlace(file, wanted);
    else {
      lchownSync(file, wanted.uid, wanted.gid);
      chmodSync(file, wanted.mode & PERMISSIONS);
    }
  } catch {
    // A user gives away no file of its own, takes none of another's, and gives no group that it is not in.
  }
}

function isShared(own: Stats, wanted: Stats): boolean {
  return own.uid === wanted.uid && own.gid === wanted.gid && ((own.mode ^ wanted.mode) & PERMISSIONS) === 0;
}

/** Linux's flag for a descriptor that only names a file (open(2)): closing it drops no lock, unlike any other. */
const O_PATH = 0o10000000;

/** Holds on to the file meanwhile, so that nobody can put a link in its place between the look and the change. */
function shareInPlace(file: string, wanted: Stats): void {
  const descriptor = openSync(file, O_PATH | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(descriptor).isFile()) return;
    const path = `/proc/self/fd/${descriptor}`;
    chownSync(path, wanted.uid, wanted.gid);
    chmodSync(path, wanted.mode & PERMISSIONS);
  } finally {
    closeSync(descriptor);
  }
}
