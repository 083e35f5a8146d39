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

/** The memory of one process. */
export class OwnRateMemory implements RateMemory {
  readonly #used = new Map<number, Used>();

  update(caller: number, now: number, change: (before: Used, now: number) => Used): void {
    this.#used.set(caller, change(this.#used.get(caller) ?? { units: 0, at: now }, now));
  }
}
