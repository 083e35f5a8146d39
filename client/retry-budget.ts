/** Retries that a client may send in a burst. */
const AT_ONCE = 100;
/** Retries a second that it may send after that: far below what a service serves, however many calls have failed. */
const PER_SECOND = 50;

/**
 * The retries that all calls of a client share, so that a struggling service is not stormed. A retry past the budget waits
 * for its turn rather than failing: calls that fail together in a restart succeed after it, within their deadlines.
 */
export class RetryBudget {
  /** Below 0, retries wait for their turns. */
  #left = AT_ONCE;
  #countedAt = 0;

  /**
   * Takes a retry from the budget.
   * @param now milliseconds, by `performance.now()`
   * @returns milliseconds until the retry may be sent
   */
  take(now: number): number {
    const refilled = this.#left + ((now - this.#countedAt) * PER_SECOND) / 1000;
    this.#left = Math.min(AT_ONCE, refilled) - 1;
    this.#countedAt = now;
    return Math.max(0, (-this.#left * 1000) / PER_SECOND);
  }

  /** Returns one retry: a request succeeded, or a retry is not sent after all. */
  giveBack(): void {
    this.#left = Math.min(AT_ONCE, this.#left + 1);
  }
}
