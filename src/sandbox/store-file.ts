import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The file of a sandbox's store. A temporary one goes when the sandbox ends. */
export class StoreFile implements Disposable {
  readonly path: string;
  readonly #folder: string | undefined;

  /** @param path of a file to keep; left out: a temporary file */
  constructor(path?: string) {
    this.#folder = path === undefined ? mkdtempSync(join(tmpdir(), "animal-store-sandbox-")) : undefined;
    this.path = path ?? join(this.#folder as string, "sandbox.db");
  }

  /** Removes the store, which nobody has open. */
  remove(): void {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(this.path + suffix, { force: true });
  }

  [Symbol.dispose](): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
