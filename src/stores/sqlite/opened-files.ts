import { statSync } from "node:fs";
import { resolve } from "node:path";
import { StoreFailure } from "../../domain/failure.ts";
import { logOf, sharedMemoryOf } from "./store-files.ts";

/** The file that a path led to, as the operating system identifies it. */
export interface FileIdentity {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/** The files that a database was opened from. Plain data, so that a thread can receive it. */
export interface Opened {
  readonly database: FileIdentity;
  readonly log: FileIdentity;
  readonly sharedMemory: FileIdentity;
}

/** @throws the system's error if there is no such file */
export function identityOf(file: string): FileIdentity {
  const path = resolve(file);
  const { dev: device, ino: inode } = statSync(path);
  return { path, device, inode };
}

/** Whether two identities are of one file, whatever its names. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.device === other.device && one.inode === other.inode;
}

/**
 * @param database the identity from before the database was opened, in case the file was replaced meanwhile
 * @param file its path; it has been read in WAL mode, so the other files exist
 */
export function filesOpened(database: FileIdentity, file: string): Opened {
  return { database, log: identityOf(logOf(file)), sharedMemory: identityOf(sharedMemoryOf(file)) };
}

/** What a store asks of its files. */
export type StoreFiles = Pick<OpenedFiles, keyof OpenedFiles>;

/**
 * Detects that the paths of a store no longer lead to the files that were opened. After `mv copy.db store.db`, or after
 * somebody deletes the log to free space, SQLite continues with files that have no name, and whatever it commits there is
 * lost when the process ends. The shared memory holds the locks: after somebody removes it, processes that open the store
 * later know nothing of this one, and both write to the same places of the log. A problem lasts until a restart, since
 * other processes may have opened the store with other files meanwhile.
 */
export class OpenedFiles {
  readonly #opened: Opened;
  #replaced: string | undefined;
  /** The size of the database in bytes: at the last look, and the greatest while it was known to be whole. */
  #size = 0;
  #wholeSize = 0;
  #lookedRecently = false;

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  /** Looks now, which takes some 9 µs. Returns the problem for the log, or `undefined` if there is none. */
  look(): string | undefined {
    const { database, log, sharedMemory } = this.#opened;
    const problem = this.#lookAt(database) ?? this.#lookAt(log) ?? this.#lookAt(sharedMemory);
    if (problem === undefined) this.#wholeSize = Math.max(this.#wholeSize, this.#size);
    return problem;
  }

  /**
   * Looks at the file with the locks only. Done before each transaction: afterwards it would be too late for what others
   * have committed, which this process would overwrite in the log.
   */
  lookAtLocks(): string | undefined {
    return this.#lookAt(this.#opened.sharedMemory);
  }

  #lookAt(file: FileIdentity): string | undefined {
    if (this.#replaced !== undefined) return this.#replaced;
    try {
      const { dev, ino, size } = statSync(file.path);
      if (file === this.#opened.database) this.#size = size;
      if (dev === file.device && ino === file.inode) return undefined;
    } catch (error) {
      // Without the right to enter the folder, this does not mean that the file is gone.
      if (!isGone(error)) return `${file.path} cannot be accessed: ${(error as Error).message}`;
    }
    const advice =
      file === this.#opened.sharedMemory
        ? "Programs that opened the store since cannot see this one. Stop them all, and start again."
        : "What was stored since may be lost. Put the store in its place and start again.";
    this.#replaced = `${file.path} is no longer the file that was opened: it was removed, renamed or replaced. ${advice}`;
    return this.#replaced;
  }

  /** Whether the database was shorter at the last look than before: it was vacuumed, or truncated. */
  get hasShrunk(): boolean {
    return this.#size < this.#wholeSize;
  }

  /** Records that the database is whole at the size that it had at the last look. */
  acceptSize(): void {
    this.#wholeSize = this.#size;
  }

  /**
   * Looks unless it did so within the last `milliseconds`. Returns the known problem. A timer measures the interval, since
   * reading the clock takes 300 ns on some machines, ten times what a cached page needs from the store.
   */
  lookEvery(milliseconds: number): string | undefined {
    if (this.#lookedRecently) return this.#replaced;
    this.#lookedRecently = true;
    const timer = setTimeout(() => {
      this.#lookedRecently = false;
    }, milliseconds);
    timer.unref();
    return this.look();
  }

  /**
   * Looks after a commit, before it is acknowledged.
   *
   * @throws StoreFailure if it went into a file that the path no longer leads to
   */
  assertCommitted(): void {
    const problem = this.look();
    if (problem !== undefined) throw new StoreFailure("store_unavailable", problem);
  }

  /** @throws StoreFailure if an earlier look found that a file was replaced */
  assertNotReplaced(): void {
    if (this.#replaced !== undefined) throw new StoreFailure("store_unavailable", this.#replaced);
  }

  /** @throws StoreFailure if others may write at the same time, since they see other locks */
  assertLocksShared(): void {
    const problem = this.lookAtLocks();
    if (problem !== undefined) throw new StoreFailure("store_unavailable", problem);
  }
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
