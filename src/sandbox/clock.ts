import { LAST_TIME } from "../domain/time.ts";

/** A clock that runs as the real one does, from a time that can be set; at the end of the year 9999 it stops. */
export class SandboxClock {
  readonly #real: () => number;
  #offsetMs = 0;

  /** @param real milliseconds since 1970 */
  constructor(real: () => number) {
    this.#real = real;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => Math.min(this.#real() + this.#offsetMs, LAST_TIME);

  /** @param time milliseconds since 1970 */
  set(time: number): void {
    this.#offsetMs = time - this.#real();
  }

  /** Follows the real clock again. */
  reset(): void {
    this.#offsetMs = 0;
  }
}
