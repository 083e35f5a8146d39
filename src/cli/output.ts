import { showable } from "../domain/quote.ts";
import { toJson, writeAnswer, writeToStderr } from "../process/standard-output.ts";
import { NO_PROGRESS, type Progress, startProgress } from "./progress.ts";

/** The output of a command: its answer goes to standard output, everything else to standard error. */
export class Output {
  readonly #json: boolean;
  readonly #quiet: boolean;

  /** @param options the flags of the command; `--json` and `--quiet` matter here */
  constructor({ json, quiet }: Readonly<Record<string, unknown>> = {}) {
    this.#json = json === true;
    this.#quiet = quiet === true;
  }

  /**
   * Writes the command's answer.
   *
   * @throws ReaderGone, or CommandFailure if it cannot be written for another reason
   */
  async print(text: string): Promise<void> {
    await writeAnswer(text);
  }

  /** Explains something to a person, on standard error. `--quiet` silences it. */
  async explain(text: string): Promise<void> {
    if (!this.#quiet) await writeToStderr(text);
  }

  /** Reports what the command did: with `--json` as facts on standard output, else as a sentence for people. */
  async report(facts: unknown, sentence: string): Promise<void> {
    await (this.#json ? this.print(toJson(facts)) : this.explain(sentence));
  }

  /** Prints rows or records: with `--json` as JSON, else as text. */
  async answer(facts: unknown, text: string): Promise<void> {
    await this.print(this.#json ? toJson(facts) : showable(text));
  }

  /** Shows progress as `startProgress` does; `--quiet` silences it. */
  progress(label: string, unit: string, total: number | undefined): Progress {
    return this.#quiet ? NO_PROGRESS : startProgress(label, unit, total);
  }
}
