import { type Progress, startProgress, type Terminal } from "../cli/progress.ts";

const PARTS = 1000;
/** Up one line, and that line away. */
const ERASE = "\x1b[1A\x1b[2K";

/** The progress of one thing after the other, of which nothing stays on the terminal. */
export class Meter implements Disposable {
  readonly #terminal: Terminal;
  #bar: Progress | undefined;
  #name = "";

  constructor(terminal: Terminal = process.stderr) {
    this.#terminal = terminal;
  }

  /**
   * @param part from 0 to 1
   * @param count how many units are done
   */
  update(name: string, unit: string, part: number, count: number): void {
    if (name !== this.#name) this.clear();
    this.#name = name;
    this.#bar ??= startProgress(name.padEnd(9), unit, PARTS, this.#terminal);
    this.#bar.update(Math.floor(part * PARTS), count);
  }

  clear(): void {
    if (!this.#bar) return;
    this.#bar[Symbol.dispose]();
    this.#bar = undefined;
    if (this.#terminal.isTTY) this.#terminal.write(ERASE);
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
