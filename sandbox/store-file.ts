import { SQLiteError } from "bun:sqlite";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { UnusableStore } from "../src/stores/errors.ts";
import { createFile, fileExists } from "../src/stores/sqlite/file.ts";
import { readSchemaVersion } from "../src/stores/sqlite/migrate.ts";
import { removeDatabase, storeFileAt } from "../src/stores/sqlite/store-files.ts";
import { FileLock } from "./file-lock.ts";

/** The file in which a sandbox keeps the store of its first space. */
export class StoreFile implements Disposable {
  readonly path: string;
  #lock: FileLock | undefined;

  /** @throws UnusableStore if the file can be no store */
  constructor(path: string) {
    this.path = storeFileAt(path);
  }

  /**
   * Keeps other sandboxes from the file until this process ends: a reset of one would remove the store of the other.
   *
   * @throws UnusableStore if another sandbox uses the file, or if the file or its lock cannot be written
   */
  lock(): void {
    createFile(this.path);
    const lock = FileLock.take(`${this.path}-lock`);
    if (lock === undefined) {
      throw new UnusableStore(
        `another sandbox uses ${this.path}. Name another file, or none: a sandbox without \`--store\` needs none.`,
      );
    }
    this.#lock = lock;
  }

  /**
   * Whether there is no store in the file yet.
   *
   * @throws UnusableStore if the file is something else
   */
  get isEmpty(): boolean {
    return this.#schemaVersion() === 0;
  }

  /**
   * Puts another store in the place of this one, which no process has open. Whenever this is interrupted, the file is
   * empty or has one of the two.
   *
   * @throws UnusableStore if the file cannot be replaced, or if somebody has put another kind of file in its place
   */
  fill(state: Uint8Array): void {
    this.#schemaVersion();
    const complete = `${this.path}-new`;
    try {
      removeDatabase(this.path);
      rmSync(complete, { force: true });
      writeFileSync(complete, state, { mode: 0o600, flag: "wx" });
      renameSync(complete, this.path);
    } catch (error) {
      throw new UnusableStore(`cannot write ${this.path}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** 0 if there is no store. */
  #schemaVersion(): number {
    try {
      return fileExists(this.path) ? readSchemaVersion(this.path, "sandbox") : 0;
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error;
      throw new UnusableStore(`cannot open ${this.path}: ${error.message}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#lock?.[Symbol.dispose]();
  }
}
