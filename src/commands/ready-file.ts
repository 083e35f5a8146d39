import { readFileSync, rmSync } from "node:fs";
import { assertWritable, writeAtomically } from "../process/atomic-file.ts";
import { CommandFailure } from "../process/errors.ts";
import { findFile } from "../stores/find-file.ts";

/** Tells the ready file of a sandbox from other files, which are left alone. */
const KIND = "animal-store sandbox";

/** A file that exists while a sandbox is ready, so that a test waits for it and need not read a log. */
export class ReadyFile implements Disposable {
  readonly #path: string;
  #written: string | undefined;

  /**
   * Removes what an earlier sandbox has left.
   *
   * @throws CommandFailure if the file cannot be written, or if something else has that name
   */
  constructor(path: string) {
    this.#path = path;
    assertWritable(path, { replace: true });
    if (findFile(path) === undefined) return;
    if (!isReadyFile(path)) {
      throw new CommandFailure(`${path} exists, and no sandbox has written it; name another file.`);
    }
    rmSync(path, { force: true });
  }

  /** Writes the file, which appears whole. */
  write(facts: Readonly<Record<string, unknown>>): void {
    const text = `${JSON.stringify({ kind: KIND, ...facts }, undefined, 2)}\n`;
    writeAtomically(this.#path, text, { replace: true });
    this.#written = text;
  }

  /** Removes the file, unless another sandbox has taken its name meanwhile. */
  [Symbol.dispose](): void {
    if (this.#written !== undefined && contentOf(this.#path) === this.#written)
      rmSync(this.#path, { force: true });
  }
}

function isReadyFile(path: string): boolean {
  try {
    return JSON.parse(contentOf(path) ?? "").kind === KIND;
  } catch {
    return false;
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
