import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UnusableStore } from "../stores/errors.ts";
import { isBusy } from "../stores/sqlite/errors.ts";
import { createFile, fileBehindLink } from "../stores/sqlite/file.ts";

/** The file of a sandbox's store. A temporary file is removed when the sandbox ends. */
export class StoreFile implements Disposable {
  readonly path: string;
  readonly #folder: string | undefined;
  #lock: Database | undefined;

  /**
   * @param path of a file to keep; left out: a temporary file
   * @throws UnusableStore if there can be no temporary file
   */
  constructor(path?: string) {
    this.#folder = path === undefined ? temporaryFolder() : undefined;
    this.path = path === undefined ? join(this.#folder as string, "sandbox.db") : fileBehindLink(path);
  }

  /**
   * Keeps other sandboxes from the file until this process ends: a reset of one would remove the store of the other.
   *
   * @throws UnusableStore if another sandbox uses the file, or if the file or its lock cannot be written
   */
  lock(): void {
    if (this.#folder !== undefined) return;
    createFile(this.path);
    try {
      this.#lock = new Database(this.#lockPath, { create: true });
      this.#lock.run("BEGIN EXCLUSIVE");
    } catch (error) {
      this.#lock?.close();
      this.#lock = undefined;
      throw new UnusableStore(
        isBusy(error)
          ? `another sandbox uses ${this.path}. Name another file, or none: a sandbox without \`--store\` uses a temporary file.`
          : `cannot write ${this.#lockPath}: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }

  /**
   * Removes the store, which no process has open.
   *
   * @throws UnusableStore if it cannot be removed
   */
  remove(): void {
    try {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(this.path + suffix, { force: true });
    } catch (error) {
      throw new UnusableStore(`cannot remove ${this.path}: ${(error as Error).message}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    if (this.#lock) rmSync(this.#lockPath, { force: true });
    this.#lock?.close();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  get #lockPath(): string {
    return `${this.path}-lock`;
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
