import { InMemoryRateLimitStore, type RateLimitStore, type Usage } from "./rate-limit-store.ts";

/** A quota of requests per window. */
export interface RateLimit {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Whether a request is within the limit, and the header that reports what is left. */
interface RateVerdict {
  /** 0 if the request is within the limit. */
  readonly retryAfterSeconds: number;
  readonly headers: Record<string, string>;
}

/**
 * Limits the requests of each API key by the generic cell rate algorithm (ITU-T I.371): the whole quota may be used at
 * once, and comes back evenly. The headers follow the IETF draft "RateLimit header fields for HTTP".
 *
 * It counts in whole units, so that rounding never costs or grants a request. A request costs as many units as the window
 * has milliseconds, and each millisecond gives `quota` units back. The largest limit, a billion an hour, stays below 2^53.
 */
export class RateLimiter {
  readonly limit: RateLimit;
  readonly #cost: number;
  readonly #capacity: number;
  /** By API key id. */
  readonly #memory: RateLimitStore;

  /** @param memory counts the requests; by default, of this process alone */
  constructor(limit: RateLimit, memory: RateLimitStore = new InMemoryRateLimitStore()) {
    this.limit = limit;
    this.#memory = memory;
    this.#cost = limit.windowSeconds * 1000;
    this.#capacity = limit.quota * this.#cost;
  }

  /**
   * Counts a request. A refused request costs nothing.
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
    // The draft's `t` is the time to the next unit of quota. A refused caller must wait that long.
    const missing = units + (remaining + 1) * this.#cost - this.#capacity;
    const seconds = Math.ceil(missing / (this.limit.quota * 1000));
    return {
      retryAfterSeconds: fits ? 0 : seconds,
      headers: rateLimitHeader(remaining, seconds),
    };
  }

  /** The units in use at a time. A clock that was set back neither returns nor takes any. */
  #usedAt(now: number, { units, at }: Usage): number {
    return Math.max(0, units - Math.max(0, now - at) * this.limit.quota);
  }
}

/** The header that describes a limit, on every response. */
export function policyHeader({ quota, windowSeconds }: RateLimit): Record<string, string> {
  return { "RateLimit-Policy": `"default";q=${quota};w=${windowSeconds}` };
}

/** The header that says how many requests a caller has left, and in how many seconds it gains another. */
export function rateLimitHeader(remaining: number, seconds: number): Record<string, string> {
  return { RateLimit: `"default";r=${remaining};t=${seconds}` };
}
