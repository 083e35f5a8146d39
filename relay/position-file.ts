import { Database } from "bun:sqlite";
import { open, readFile, rename, rm } from "node:fs/promises";

/** The progress of a relay. */
export interface Position {
  /**
   * Where the feed continues: the cursor of the service's own link, which no other store accepts. At and after it stands
   * every event that is not delivered.
   */
  readonly cursor: string;
  /** The last event that was delivered or passed over; `undefined` if there was none. */
  readonly event: bigint | undefined;
}

/** Tells the file of a position from other files. */
const KIND = "animal-store relay";

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

function writePosition({ cursor, event }: Position): string {
  return `${JSON.stringify({ kind: KIND, cursor, ...(event !== undefined && { event: `${event}` }) })}\n`;
}

/** Returns `undefined` if the text is not a position that a relay has written. */
function readPosition(text: string): Position | undefined {
  try {
    const { kind, cursor, event } = JSON.parse(text);
    if (kind !== KIND || typeof cursor !== "string" || !cursor) return undefined;
    if (event === undefined) return { cursor, event };
    return typeof event === "string" && /^[0-9]{1,19}$/.test(event)
      ? { cursor, event: BigInt(event) }
      : undefined;
  } catch {
    return undefined;
  }
}
