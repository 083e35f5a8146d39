/** What a caller had used up of its limit, in units, at a time in milliseconds since 1970. */
export interface Usage {
  readonly units: number;
  readonly at: number;
}

/** Remembers what callers have used of their limits. */
export interface RateLimitStore {
  /** Changes the usage of a caller atomically. `change` may get a `now` that is slightly later than the one given. */
  update(caller: number, now: number, change: (before: Usage, now: number) => Usage): void;
}

/** The most callers remembered at once, as in the store that processes share: some 5 MB. */
const CALLERS_MAX = 40_000;

/** The store of a single process. */
export class InMemoryRateLimitStore implements RateLimitStore {
  /** The least recent caller comes first. */
  readonly #used = new Map<number, Usage>();

  update(caller: number, now: number, change: (before: Usage, now: number) => Usage): void {
    const before = this.#used.get(caller) ?? { units: 0, at: now };
    this.#used.delete(caller);
    if (this.#used.size >= CALLERS_MAX) this.#used.delete(this.#used.keys().next().value as number);
    this.#used.set(caller, change(before, now));
  }
}
