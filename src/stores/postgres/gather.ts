/**
 * Lets all who ask in the same turn of the event loop share one answer, which is asked for after each
 * of them has asked.
 */
export class Gather<Answer> {
  readonly #ask: () => Promise<Answer>;
  #next: Promise<Answer> | undefined;

  constructor(ask: () => Promise<Answer>) {
    this.#ask = ask;
  }

  get(): Promise<Answer> {
    this.#next ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#next = undefined;
        this.#ask().then(resolve, reject);
      });
    });
    return this.#next;
  }
}
