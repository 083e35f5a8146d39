import { InMemoryRateLimitStore, type RateLimitStore, type Usage } from "./rate-limit-store.ts";

/** So many requests in so many seconds. */
export interface RateLimit {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Whether a request is within the limit, and the header that says how the caller stands. */
interface RateVerdict {
  /** 0 when the request may be served. */
  readonly retryAfterSeconds: number;
  readonly headers: Record<string, string>;
}

/**
 * Limits the requests of each API key, by the generic cell rate algorithm (ITU-T I.371): the whole
 * quota may be used at once, and comes back evenly. The headers are those of the IETF draft
 * "RateLimit header fields for HTTP".
 *
 * It counts in whole units, so that no rounding takes a request from a caller or gives it one: a
 * request costs as many as the window has milliseconds, and each millisecond gives `quota` back. The
 * most there can be, a billion an hour, stays below 2^53.
 */
export class RateLimiter {
  readonly limit: RateLimit;
  /** Names the limit, in every response. */
  readonly policy: Readonly<Record<string, string>>;
  readonly #cost: number;
  readonly #capacity: number;
  /** By API key id. */
  readonly #memory: RateLimitStore;

  /** @param memory what is counted in, where others count too */
  constructor(limit: RateLimit, memory: RateLimitStore = new InMemoryRateLimitStore()) {
    this.limit = limit;
    this.policy = { "RateLimit-Policy": `"default";q=${limit.quota};w=${limit.windowSeconds}` };
    this.#memory = memory;
    this.#cost = limit.windowSeconds * 1000;
    this.#capacity = limit.quota * this.#cost;
  }

  /**
   * Counts a request; one that is refused costs nothing.
   *
   * @param caller the id of its API key
   * @param now milliseconds since 1970
   */
  take(caller: number, now: number): RateVerdict {
    let fits = false;
    let units = 0;
    this.#memory.update(caller, now, (used, now) => {
      const before = this.#usedAt(now, used);
      fits = before + this.#cost <= this.#capacity;
      units = fits ? before + this.#cost : before;
      return { units, at: now };
    });
    const remaining = Math.floor((this.#capacity - units) / this.#cost);
    // The draft's `t` is the time to the next unit of quota, which for one who is refused is the time to wait.
    const missing = units + (remaining + 1) * this.#cost - this.#capacity;
    const seconds = Math.ceil(missing / (this.limit.quota * 1000));
    return {
      retryAfterSeconds: fits ? 0 : seconds,
      headers: { RateLimit: `"default";r=${remaining};t=${seconds}` },
    };
  }

  /** A clock that was set back gives nothing back, and takes nothing either. */
  #usedAt(now: number, { units, at }: Usage): number {
    return Math.max(0, units - Math.max(0, now - at) * this.limit.quota);
  }
}
