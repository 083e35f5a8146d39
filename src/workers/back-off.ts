/** A worker that lived this long ended by chance, so that its restart is immediate. */
const STABLE_MS = 10_000;
const DELAY_MIN_MS = 100;
const DELAY_MAX_MS = 10_000;

/** Back-off: the first restart of a worker is immediate, the second waits 100 ms, then the delay doubles up to 10 s. */
export class BackOff {
  /** The last delay, by the number of the worker. */
  readonly #delays = new Map<number, number>();

  /** How long to wait before the next restart, in milliseconds. */
  next(worker: number, livedMs: number): number {
    const last = this.#delays.get(worker);
    const delay =
      last === undefined || livedMs >= STABLE_MS
        ? 0
        : Math.min(Math.max(last * 2, DELAY_MIN_MS), DELAY_MAX_MS);
    this.#delays.set(worker, delay);
    return delay;
  }
}
