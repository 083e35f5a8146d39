import { statSync } from "node:fs";
import { resolve } from "node:path";
import { StoreFailure } from "../../domain/failure.ts";

/** The file that a path led to, as the operating system identifies it. */
export interface FileIdentity {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/** The files that a database was opened from, the database first. Plain data, so that a thread can receive it. */
export type Opened = readonly FileIdentity[];

/** @throws the system's error if there is no such file */
export function identityOf(file: string): FileIdentity {
  const path = resolve(file);
  const { dev: device, ino: inode } = statSync(path);
  return { path, device, inode };
}

export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.device === other.device && one.inode === other.inode;
}

/**
 * @param database the identity from before the database was opened, in case the file was replaced meanwhile
 * @param file its path; it has been read in WAL mode, so its log exists
 */
export function filesOpened(database: FileIdentity, file: string): Opened {
  return [database, identityOf(`${file}-wal`)];
}

/**
 * Detects that the paths of a store no longer lead to the files that were opened. After `mv copy.db store.db`, or after
 * somebody deletes the log to free space, SQLite continues with files that have no name, and whatever it commits there is
 * lost when the process ends. A problem lasts until a restart, since other processes may have opened the store with another
 * log meanwhile.
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

  /** The problem that an earlier look found, for the log. */
  get problem(): string | undefined {
    return this.#replaced;
  }

  /** Looks now, which takes some 6 µs. Returns the problem for the log, or `undefined` if there is none. */
  look(): string | undefined {
    if (this.#replaced !== undefined) return this.#replaced;
    for (const file of this.#opened) {
      try {
        const { dev, ino, size } = statSync(file.path);
        if (file === this.#opened[0]) this.#size = size;
        if (dev === file.device && ino === file.inode) continue;
      } catch (error) {
        // Without the right to enter the folder, this does not mean that the file is gone.
        if (!isGone(error)) return `${file.path} cannot be accessed: ${(error as Error).message}`;
      }
      this.#replaced =
        `${file.path} is no longer the file that was opened: it was removed, renamed or replaced. ` +
        "What was stored since may be lost. Put the store in its place and start again.";
    }
    this.#wholeSize = Math.max(this.#wholeSize, this.#size);
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
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
