/**
 * Gives each read a turn of the event loop to itself. On SQLite a read does not wait, so streams that catch up would keep
 * requests waiting, each for as long as its client takes what it gets.
 */
export class TurnQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn that no other caller has. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => void setImmediate(resolve)));
    return this.#last;
  }
}
