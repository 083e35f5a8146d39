import { Database } from "bun:sqlite";
import { open, readFile, rename, rm } from "node:fs/promises";
import { type Position, readPosition, writePosition } from "./position.ts";

/**
 * The file of a relay's position, locked until the process ends, however it ends. What a reader finds is whole: each
 * position is written under another name, and renamed once it is on the disk.
 */
export class PositionFile implements AsyncDisposable {
  readonly #path: string;
  readonly #lock: Database;
  readonly #onFailure: (error: Error) => void;
  #newest: Position | undefined;
  #saving: Promise<void> | undefined;

  private constructor(path: string, lock: Database, onFailure: (error: Error) => void) {
    this.#path = path;
    this.#lock = lock;
    this.#onFailure = onFailure;
  }

  /**
   * Returns `undefined` if another relay has the file.
   *
   * @param onFailure is told when a position cannot be written; the next one is tried again
   * @throws the system's error or SQLite's if the lock file next to it cannot be written
   */
  static take(path: string, onFailure: (error: Error) => void): PositionFile | undefined {
    // The system frees a lock of SQLite's with the process, as it does no file that merely exists.
    const lock = new Database(`${path}.lock`, { create: true });
    try {
      lock.run("BEGIN EXCLUSIVE");
      return new PositionFile(path, lock, onFailure);
    } catch (error) {
      lock.close();
      if ((error as { code?: string }).code === "SQLITE_BUSY") return undefined;
      throw error;
    }
  }

  /**
   * The position that was kept; `undefined` if there is no file.
   *
   * @returns "unreadable" if the file is no position
   * @throws the system's error
   */
  async read(): Promise<Position | undefined | "unreadable"> {
    try {
      return readPosition(await readFile(this.#path, "utf8")) ?? "unreadable";
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Keeps a position soon: of several that come while the disk is busy, only the newest is written. */
  keep(position: Position): void {
    this.#newest = position;
    this.#saving ??= this.#save();
  }

  /** Resolves when the newest position is on the disk, or could not be written. */
  async settled(): Promise<void> {
    await this.#saving;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
    this.#lock.close();
  }

  async #save(): Promise<void> {
    const temporary = `${this.#path}.tmp`;
    while (this.#newest) {
      const text = writePosition(this.#newest);
      this.#newest = undefined;
      try {
        // A symbolic link in its place must not decide which file is overwritten.
        await rm(temporary, { force: true });
        const file = await open(temporary, "wx", 0o600);
        try {
          await file.writeFile(text);
          await file.datasync();
        } finally {
          await file.close();
        }
        await rename(temporary, this.#path);
      } catch (error) {
        this.#onFailure(error as Error);
      }
    }
    this.#saving = undefined;
  }
}
