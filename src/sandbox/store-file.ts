import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UnusableStore } from "../stores/errors.ts";
import { createFile, fileExists } from "../stores/sqlite/file.ts";
import { readSchemaVersion } from "../stores/sqlite/migrate.ts";
import { removeDatabase, storeFileAt } from "../stores/sqlite/store-files.ts";
import { FileLock } from "./file-lock.ts";

/** The file of a sandbox's store. A temporary file is removed when the sandbox ends. */
export class StoreFile implements Disposable {
  readonly path: string;
  readonly #folder: string | undefined;
  #lock: FileLock | undefined;

  /**
   * @param path of a file to keep; left out: a temporary file
   * @throws UnusableStore if there can be no temporary file, or if the file can be no store
   */
  constructor(path?: string) {
    this.#folder = path === undefined ? temporaryFolder() : undefined;
    this.path = path === undefined ? join(this.#folder as string, "sandbox.db") : storeFileAt(path);
  }

  /**
   * Keeps other sandboxes from the file until this process ends: a reset of one would remove the store of the other.
   *
   * @throws UnusableStore if another sandbox uses the file, or if the file or its lock cannot be written
   */
  lock(): void {
    if (this.#folder !== undefined) return;
    createFile(this.path);
    const lock = FileLock.take(`${this.path}-lock`);
    if (lock === undefined) {
      throw new UnusableStore(
        `another sandbox uses ${this.path}. Name another file, or none: a sandbox without \`--store\` uses a temporary file.`,
      );
    }
    this.#lock = lock;
  }

  /**
   * Removes the store, which no process has open.
   *
   * @throws UnusableStore if it cannot be removed, or if somebody has put another file in its place
   */
  remove(): void {
    if (fileExists(this.path)) readSchemaVersion(this.path, "sandbox");
    try {
      removeDatabase(this.path);
    } catch (error) {
      throw new UnusableStore(`cannot remove ${this.path}: ${(error as Error).message}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#lock?.[Symbol.dispose]();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "animal-store-sandbox-"));
  } catch (error) {
    const { message } = error as Error;
    throw new UnusableStore(`cannot make a temporary file: ${message}. Name a file with --store.`, {
      cause: error,
    });
  }
}
