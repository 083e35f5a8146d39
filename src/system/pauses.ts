/** The pauses between attempts (exponential back-off): each is twice as long as the one before, up to the longest. */
export class Pauses {
  readonly #shortestMs: number;
  readonly #longestMs: number;
  #nextMs: number;

  /** Both in milliseconds. */
  constructor(shortestMs: number, longestMs: number) {
    this.#shortestMs = shortestMs;
    this.#longestMs = longestMs;
    this.#nextMs = shortestMs;
  }

  /** Takes the next pause, in milliseconds. */
  next(): number {
    const pause = this.#nextMs;
    this.#nextMs = Math.min(2 * pause, this.#longestMs);
    return pause;
  }

  /**
   * Resolves after the next pause.
   *
   * @param elapsedMs how much of it has passed already; the shortest pause is kept in any case
   */
  wait(elapsedMs = 0): Promise<void> {
    return Bun.sleep(Math.max(this.#shortestMs, this.next() - elapsedMs));
  }

  /** Begins again with the shortest pause: the last attempt has succeeded. */
  reset(): void {
    this.#nextMs = this.#shortestMs;
  }
}
