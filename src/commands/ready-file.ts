import { readFileSync, rmSync } from "node:fs";
import { assertWritable, writeAtomically } from "../process/atomic-file.ts";
import { CommandFailure } from "../process/errors.ts";
import { findFile } from "../stores/find-file.ts";

/** A file that exists while a command is ready, so that a test waits for it and need not read a log. */
export class ReadyFile implements Disposable {
  readonly #path: string;
  readonly #writer: string;
  #written: string | undefined;

  /**
   * Removes what an earlier run has left.
   *
   * @param writer the command that is ready: its name in the file tells the file from others, which are left alone
   * @throws CommandFailure if the file cannot be written, or if something else has that name
   */
  constructor(path: string, writer: "sandbox" | "relay") {
    this.#path = path;
    this.#writer = writer;
    assertWritable(path, { replace: true });
    if (findFile(path) === undefined) return;
    if (kindOf(path) !== `animal-store ${writer}`) {
      throw new CommandFailure(`${path} exists, and no ${writer} has written it; name another file.`);
    }
    rmSync(path, { force: true });
  }

  /** Writes the file, which appears whole. */
  write(facts: Readonly<Record<string, unknown>>): void {
    const text = `${JSON.stringify({ kind: `animal-store ${this.#writer}`, ...facts }, undefined, 2)}\n`;
    writeAtomically(this.#path, text, { replace: true });
    this.#written = text;
  }

  /** Removes the file, unless another run has taken its name meanwhile. */
  [Symbol.dispose](): void {
    if (this.#written !== undefined && contentOf(this.#path) === this.#written)
      rmSync(this.#path, { force: true });
  }
}

function kindOf(path: string): unknown {
  try {
    return JSON.parse(contentOf(path) ?? "").kind;
  } catch {
    return undefined;
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
