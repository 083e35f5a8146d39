import { closeSync, openSync, writeSync } from "node:fs";
import type { Output } from "../../cli/output.ts";
import type { Format } from "../../formats/format.ts";
import type { BadRecord } from "../../formats/records.ts";
import { AtomicFile } from "../../process/atomic-file.ts";
import { CommandFailure, cannotWrite } from "../../process/errors.ts";

/** The most bad rows to show; the others are counted. */
const SHOWN_MAX = 100;
const LENGTH_MAX = 400;

interface RejectsOptions {
  /** The file that receives bad rows, if any. */
  readonly skipBad: string | undefined;
  /** Whether to replace that file if it exists. */
  readonly force: boolean;
  readonly format: Format;
}

/**
 * The bad rows of a file. The first ones are shown. All of them go to a file if one is given: byte for byte, each after a
 * comment line with its place and the reason.
 */
export class Rejects implements Disposable {
  readonly #file: string | undefined;
  readonly #temporary: AtomicFile | undefined;
  readonly #descriptor: number | undefined;
  readonly #shown: string[] = [];
  readonly #unit: string;
  #count = 0;

  constructor({ skipBad: file, force, format }: RejectsOptions) {
    this.#unit = format === "json" ? "element" : "line";
    this.#file = file;
    if (file === undefined) return;
    this.#temporary = new AtomicFile(file, { replace: force });
    try {
      this.#descriptor = openSync(this.#temporary.path, "wx");
    } catch (error) {
      this.#temporary[Symbol.dispose]();
      throw cannotWrite(file, error);
    }
  }

  get count(): number {
    return this.#count;
  }

  add({ line, problem, raw }: BadRecord): void {
    this.#count++;
    // A problem may quote a value, which may be long.
    if (this.#count <= SHOWN_MAX) this.#shown.push(`${this.#unit} ${line}: ${problem.slice(0, LENGTH_MAX)}`);
    if (this.#descriptor === undefined) return;
    try {
      writeSync(this.#descriptor, `# ${this.#unit} ${line}: ${problem}\n`);
      writeSync(this.#descriptor, raw);
      if (raw.at(-1) !== 0x0a) writeSync(this.#descriptor, "\n");
    } catch (error) {
      throw cannotWrite(this.#file as string, error);
    }
  }

  async show(output: Output): Promise<void> {
    const more = this.#count - this.#shown.length;
    const lines = more > 0 ? [...this.#shown, `and ${more.toLocaleString("en")} more`] : this.#shown;
    if (lines.length > 0) await output.explain(lines.join("\n"));
  }

  /**
   * Publishes the file of bad rows, if there is one.
   *
   * @param done a sentence about what the command has done, for the message of a failure
   */
  publish(done: string): void {
    try {
      this.#temporary?.publish();
    } catch (error) {
      const { message } = cannotWrite(this.#file as string, error) as Error;
      throw new CommandFailure(`${message} ${done}`, 1, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#temporary?.[Symbol.dispose]();
  }
}
