import { type Progress, startProgress } from "../../cli/progress.ts";

const PARTS = 1000;
/** ANSI: cursor up one line, then erase that line. */
const ERASE = "\x1b[1A\x1b[2K";

/** Shows the progress of several steps, one after the other; each bar disappears when its step ends. */
export class Meter implements Disposable {
  #bar: Progress | undefined;
  #name = "";

  /**
   * @param part from 0 to 1
   * @param count how many units are done
   */
  update(name: string, unit: string, part: number, count: number): void {
    if (name !== this.#name) this.clear();
    this.#name = name;
    this.#bar ??= startProgress(name.padEnd(9), unit, PARTS);
    this.#bar.update(Math.floor(part * PARTS), count);
  }

  clear(): void {
    if (!this.#bar) return;
    this.#bar[Symbol.dispose]();
    this.#bar = undefined;
    if (process.stderr.isTTY) process.stderr.write(ERASE);
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
