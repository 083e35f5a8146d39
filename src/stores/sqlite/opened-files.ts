import { statSync } from "node:fs";
import { resolve } from "node:path";
import { StoreFailure } from "../../domain/failure.ts";

/** Which file a path led to, as the system tells files apart. */
export interface FileIdentity {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/** The files that a database was opened from, itself first: plain data, which a thread can be given. */
export type Opened = readonly FileIdentity[];

/** @throws the system's error where there is no such file */
export function identityOf(file: string): FileIdentity {
  const path = resolve(file);
  const { dev: device, ino: inode } = statSync(path);
  return { path, device, inode };
}

export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.device === other.device && one.inode === other.inode;
}

/**
 * @param database as it was before it was opened: what another put in its place meanwhile is not what is open
 * @param file the same, read in WAL mode by now, so that its log is there
 */
export function filesOpened(database: FileIdentity, file: string): Opened {
  return [database, identityOf(`${file}-wal`)];
}

/**
 * Knows whether the paths of a store still lead to the files that were opened. After `mv copy.db store.db`, or
 * after somebody has removed the log to make room, SQLite goes on with files that have no name any more, and what it
 * commits there is gone with the process. Once that was seen it stays so until a restart: others may have opened the
 * store with another log meanwhile.
 */
export class OpenedFiles {
  readonly #opened: Opened;
  #replaced: string | undefined;
  /** Of the database, in bytes: at the last look, and at most while it was whole. */
  #size = 0;
  #wholeSize = 0;
  #lookedLately = false;

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  /** What an earlier look has found to stay, for the log. */
  get problem(): string | undefined {
    return this.#replaced;
  }

  /** Looks now, which takes some 6 µs. Returns what is wrong, for the log; `undefined`: nothing is. */
  look(): string | undefined {
    if (this.#replaced !== undefined) return this.#replaced;
    for (const file of this.#opened) {
      try {
        const { dev, ino, size } = statSync(file.path);
        if (file === this.#opened[0]) this.#size = size;
        if (dev === file.device && ino === file.inode) continue;
      } catch (error) {
        // The file may still be there: without the right to enter its folder, that is unknown.
        if (!isGone(error)) return `${file.path} cannot be looked at: ${(error as Error).message}`;
      }
      this.#replaced =
        `${file.path} is no longer the file that was opened: it was removed, renamed or replaced. ` +
        "What was stored since may be lost. Put the store in its place and start again.";
    }
    this.#wholeSize = Math.max(this.#wholeSize, this.#size);
    return this.#replaced;
  }

  /** Whether the database was shorter at the last look than before: it was vacuumed, or cut. */
  get hasShrunk(): boolean {
    return this.#size < this.#wholeSize;
  }

  /** The database is known to be whole as it was at the last look. */
  acceptSize(): void {
    this.#wholeSize = this.#size;
  }

  /**
   * Looks, unless the last such look was less than so many milliseconds ago. Returns what is known to be wrong. A timer
   * tells, since to ask for the time costs 300 ns on some machines, ten times what a kept page needs of the store.
   */
  lookEvery(milliseconds: number): string | undefined {
    if (this.#lookedLately) return this.#replaced;
    this.#lookedLately = true;
    const timer = setTimeout(() => {
      this.#lookedLately = false;
    }, milliseconds);
    timer.unref();
    return this.look();
  }

  /**
   * Looks behind a commit, before anybody is told of it.
   *
   * @throws StoreFailure where it went into a file that nobody finds
   */
  assertCommitted(): void {
    const problem = this.look();
    if (problem !== undefined) throw new StoreFailure("store_unavailable", problem);
  }

  /** @throws StoreFailure where a file was seen to be another */
  assertNotReplaced(): void {
    if (this.#replaced !== undefined) throw new StoreFailure("store_unavailable", this.#replaced);
  }
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
