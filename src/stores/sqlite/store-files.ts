import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { UnusableStore } from "../errors.ts";
import { findFile } from "../find-file.ts";
import { APPLICATION_IDS } from "./application-id.ts";
import { COMPANIONS } from "./companions.ts";
import { whyUnusable } from "./missing-rights.ts";
import { isMountPoint, networkTypeAt } from "./mounts.ts";
import { identityIn } from "./store-identity.ts";

// All files of a store: the database, and what SQLite keeps beside it under its name. SQLite applies a log or a journal
// that it finds there to whatever database has the name, so these files are the store as much as the database is.
// Everything that opens, watches, reads, replaces or writes a file asks here.

/** Without regard to case, since some file systems have none. */
const COMPANION_NAME = /^(.*[^/])-(?:wal|shm|journal)$/is;

/** Where the log of a database is. */
export function logOf(file: string): string {
  return `${file}-wal`;
}

/** Where the shared memory of a database is. */
export function sharedMemoryOf(file: string): string {
  return `${file}-shm`;
}

/**
 * The file at a path: the path itself, or what it leads to if it is a symbolic link. SQLite follows a link, and keeps the
 * other files beside its target. Links among the folders of a path make no difference, and stay in the path.
 *
 * @throws UnusableStore if that is unknown
 */
export function behindLink(path: string): string {
  const isLink = look(path, lstatSync)?.isSymbolicLink() ?? false;
  return isLink && look(path, statSync) ? realpathSync(path) : path;
}

/**
 * The file of a store at a path, as `behindLink` returns it.
 *
 * @throws UnusableStore also if it is no file, or if a database there would not have its log, or its disk, for itself
 */
export function storeFileAt(path: string): string {
  const file = behindLink(path);
  const found = look(file, statSync);
  if (COMPANION_NAME.test(file)) {
    throw new UnusableStore(
      `${file} has the name of a file that SQLite keeps beside a database, so it can be no store; name a store, ` +
        "or a file whose name ends in something else.",
    );
  }
  assertOwnDisk(file);
  if (found === undefined) return file;
  if (!found.isFile()) {
    throw new UnusableStore(
      `${file} is ${found.isDirectory() ? "a folder" : "not a regular file"}; name a file as the store.`,
    );
  }
  assertOneName(file, found);
  assertNotMounted(file);
  return file;
}

/** Two programs that use one database under two names have two logs, and each overwrites what the other has written. */
function assertOneName(file: string, { nlink, ino, dev }: Stats): void {
  if (nlink === 1) return;
  // A restore that was killed leaves the store a second name of this form, under which nobody uses it.
  const kept = namesBeside(file, (name) => {
    const other = name.startsWith(`${basename(file)}.replaced-`) && findFile(join(dirname(file), name));
    return other ? other.ino === ino && other.dev === dev : false;
  });
  if (nlink - kept.length === 1) return;
  throw new UnusableStore(
    `${file} has ${nlink} names (hard links). SQLite keeps a log for each name, and two programs that use different names ` +
      `destroy the store. Stop them, find the names with \`find FOLDER -inum ${ino}\`, and keep one of them: the name that ` +
      "has a file beside it that ends in -wal.",
  );
}

function namesBeside(file: string, isWanted: (name: string) => boolean): string[] {
  try {
    return readdirSync(dirname(file)).filter(isWanted);
  } catch {
    return [];
  }
}

/** If the file alone is mounted, its log stays behind when the mount ends, and with it what was acknowledged. */
function assertNotMounted(file: string): void {
  if (!isMountPoint(realpathSync(file))) return;
  throw new UnusableStore(
    `${file} is mounted by itself, without its folder, so its log would be kept elsewhere and be lost with the container. ` +
      "Mount the folder that it is in.",
  );
}

/** Two machines that use one database destroy it, and nothing tells one of the other. */
function assertOwnDisk(file: string): void {
  const type = networkTypeAt(file);
  if (type === undefined) return;
  throw new UnusableStore(
    `${file} is on a network file system (${type}), where another machine that uses it too would destroy the store. ` +
      "Keep it on a disk of this machine, or use PostgreSQL. To move a store: stop all programs that use it, and copy it " +
      "together with the files beside it that end in -wal and -shm. Backups may stay on such a file system.",
  );
}

/**
 * Why a command must not replace the file at a path, or read it as data: it belongs to a store, this one or another.
 * `undefined` if nothing speaks against it.
 *
 * @throws the system's error if that is unknown
 */
export function claimOfStore(path: string): string | undefined {
  const database = COMPANION_NAME.exec(path)?.[1];
  if (database !== undefined && findFile(database)?.isFile()) return `it belongs to the database ${database}`;
  // This comes before the file is opened: closing a descriptor of a database that this process uses would drop its locks
  // (POSIX).
  const companion = companionsOf(path)[0];
  if (companion !== undefined) {
    return `${companion} is beside it, and SQLite would take that for a part of any database of this name`;
  }
  return isStore(path) ? "it is a store" : undefined;
}

/** The files that SQLite would take for parts of a database at a path. */
export function companionsOf(file: string): string[] {
  return COMPANIONS.map((suffix) => file + suffix).filter((path) => findFile(path, lstatSync));
}

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/** The facts in the header of a database file (sqlite.org/fileformat2.html, section 1.3). */
interface DatabaseHeader {
  readonly applicationId: number;
  readonly userVersion: number;
  /** The size of the database in bytes. */
  readonly bytes: number;
  /** Whether it has a write-ahead log while it is in use. Backups have none. */
  readonly hasLog: boolean;
}

/** Reads the header of a file that no connection of this process uses; `undefined` if it is not a database. */
export function readHeader(file: string): DatabaseHeader | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, "r");
  try {
    const bytes = readSync(descriptor, header, 0, HEADER_BYTES, 0);
    if (bytes < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) return undefined;
  } finally {
    closeSync(descriptor);
  }
  // In this field, 1 stands for 65536.
  const pageBytes = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  return {
    applicationId: header.readUInt32BE(68),
    userVersion: header.readUInt32BE(60),
    bytes: header.readUInt32BE(28) * pageBytes,
    hasLog: header.readUInt8(18) === 2,
  };
}

/** Whether a file that nobody uses is a store, rather than a backup or another program's file. */
function isStore(path: string): boolean {
  // A pipe would block.
  if (!findFile(path)?.isFile()) return false;
  const header = readHeader(path);
  if (header === undefined || !Object.values(APPLICATION_IDS).includes(header.applicationId)) return false;
  if (header.hasLog) return true;
  // A store that was restored gets a log when it is opened for the first time.
  const identity = identityIn(path);
  return identity !== undefined && identity.backedUpAt === undefined;
}

/** Moves the log of the file at a path, so that SQLite does not apply it to another store there. */
export function moveCompanions(file: string, to: string): void {
  for (const suffix of COMPANIONS) {
    if (suffix === "-shm") rmSync(file + suffix, { force: true });
    else if (findFile(file + suffix, lstatSync)) renameSync(file + suffix, to + suffix);
  }
}

/** Removes a database, which nobody uses, with all its files. */
export function removeDatabase(file: string): void {
  for (const path of [file, ...COMPANIONS.map((suffix) => file + suffix)]) rmSync(path, { force: true });
}

/**
 * Looks at the file at a path; `undefined` if there is none. `existsSync` says no also if this user may not enter its folder.
 *
 * @throws UnusableStore if that is unknown
 */
export function look(file: string, stat: (path: string) => Stats): Stats | undefined {
  try {
    return findFile(file, stat);
  } catch (error) {
    throw new UnusableStore(`cannot open ${file}: ${whyUnusable(file, error)}`, { cause: error });
  }
}
