/** Waits that end in their time, or once the clock of a space was moved on past their end. */
export class ClockWaits {
  readonly #now: () => number;
  readonly #waits = new Set<{ readonly until: number; end(): void }>();

  /** @param now of the space, in milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws the reason of a signal that aborts */
  readonly sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        clearTimeout(timer);
        this.#waits.delete(wait);
        signal.removeEventListener("abort", cancel);
      };
      const wait = {
        until: this.#now() + milliseconds,
        end() {
          leave();
          resolve();
        },
      };
      const cancel = () => {
        leave();
        reject(signal.reason);
      };
      // It must not keep a stopped sandbox running.
      const timer = setTimeout(wait.end, milliseconds).unref();
      this.#waits.add(wait);
      signal.addEventListener("abort", cancel);
    });

  /** To be called when the clock was set. */
  clockChanged(): void {
    for (const wait of [...this.#waits]) if (wait.until <= this.#now()) wait.end();
  }
}
