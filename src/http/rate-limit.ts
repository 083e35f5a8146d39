/** So many requests in so many seconds. */
export interface RateLimit {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Whether a request is within the limit, and the headers that say how the caller stands. */
export interface RateVerdict {
  /** 0 when the request may be served. */
  readonly retryAfterSeconds: number;
  readonly headers: Record<string, string>;
}

/**
 * Limits the requests of each API key, by the generic cell rate algorithm (ITU-T I.371): the whole
 * quota may be used at once, and comes back evenly. The headers are those of the IETF draft
 * "RateLimit header fields for HTTP".
 */
export class RateLimiter {
  readonly limit: RateLimit;
  readonly #intervalMs: number;
  readonly #windowMs: number;
  /** By API key id: when its quota will be whole again, in milliseconds since 1970. */
  readonly #wholeAgain = new Map<number, number>();

  constructor(limit: RateLimit) {
    this.limit = limit;
    this.#windowMs = limit.windowSeconds * 1000;
    this.#intervalMs = this.#windowMs / limit.quota;
  }

  /** Names the limit, for those who have no key to count by. */
  get policy(): Record<string, string> {
    return { "RateLimit-Policy": `"default";q=${this.limit.quota};w=${this.limit.windowSeconds}` };
  }

  /**
   * Counts a request.
   *
   * @param caller the id of its API key
   * @param now milliseconds since 1970
   */
  take(caller: number, now: number): RateVerdict {
    const before = Math.max(this.#wholeAgain.get(caller) ?? now, now);
    const after = before + this.#intervalMs;
    const fits = after - now <= this.#windowMs;
    const wholeAgain = fits ? after : before;
    if (fits) this.#wholeAgain.set(caller, wholeAgain);
    const remaining = Math.floor((this.#windowMs - (wholeAgain - now)) / this.#intervalMs);
    const seconds = Math.ceil((wholeAgain - now) / 1000);
    return {
      retryAfterSeconds: fits ? 0 : Math.max(1, Math.ceil((after - now - this.#windowMs) / 1000)),
      headers: { ...this.policy, RateLimit: `"default";r=${remaining};t=${seconds}` },
    };
  }
}
