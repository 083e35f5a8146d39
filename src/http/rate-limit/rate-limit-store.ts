/** What a caller has used and not yet got back, in units, at a time in milliseconds since 1970. */
export interface Used {
  readonly units: number;
  readonly at: number;
}

/** Remembers what callers have used. */
export interface RateMemory {
  /** Replaces what is known of a caller, as one step; `now` may be given back a little later than it was. */
  update(caller: number, now: number, change: (before: Used, now: number) => Used): void;
}

/** Callers told apart at a time, as many as processes that share a memory tell apart: some 5 MB. */
const CALLERS_MAX = 40_000;

/** The memory of one process. */
export class OwnRateMemory implements RateMemory {
  /** The caller longest away comes first. */
  readonly #used = new Map<number, Used>();

  update(caller: number, now: number, change: (before: Used, now: number) => Used): void {
    const before = this.#used.get(caller) ?? { units: 0, at: now };
    this.#used.delete(caller);
    if (this.#used.size >= CALLERS_MAX) this.#used.delete(this.#used.keys().next().value as number);
    this.#used.set(caller, change(before, now));
  }
}
