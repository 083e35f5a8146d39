import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { AtomicFile, assertWritable } from "../process/atomic-file.ts";
import { CommandFailure } from "../process/errors.ts";
import { findFile } from "../stores/find-file.ts";

/** Tells the ready file of a sandbox from other files, which are left alone. */
const KIND = "animal-store sandbox";

/** A file that exists while a sandbox is ready, so that a test waits for it and need not read a log. */
export class ReadyFile implements Disposable {
  readonly #path: string;

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
    using file = new AtomicFile(this.#path, { replace: true });
    writeFileSync(file.path, `${JSON.stringify({ kind: KIND, ...facts }, undefined, 2)}\n`, { flag: "wx" });
    file.publish();
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { force: true });
  }
}

function isReadyFile(path: string): boolean {
  try {
    return JSON.parse(readFileSync(path, "utf8")).kind === KIND;
  } catch {
    return false;
  }
}
