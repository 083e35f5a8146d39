/** What a caller has used of its limit and not got back yet, in units, at a time in milliseconds since 1970. */
export interface Usage {
  readonly units: number;
  readonly at: number;
}

/** Remembers what callers have used of their limits. */
export interface RateLimitStore {
  /** Changes the usage of a caller in one step. `change` may get a `now` that is a little later than the one given. */
  update(caller: number, now: number, change: (before: Usage, now: number) => Usage): void;
}

/** Callers remembered at once, as many as in the store that processes share: some 5 MB. */
const CALLERS_MAX = 40_000;

/** The store of a single process. */
export class InMemoryRateLimitStore implements RateLimitStore {
  /** The caller that has been away longest comes first. */
  readonly #used = new Map<number, Usage>();

  update(caller: number, now: number, change: (before: Usage, now: number) => Usage): void {
    const before = this.#used.get(caller) ?? { units: 0, at: now };
    this.#used.delete(caller);
    if (this.#used.size >= CALLERS_MAX) this.#used.delete(this.#used.keys().next().value as number);
    this.#used.set(caller, change(before, now));
  }
}
