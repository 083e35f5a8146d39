import { expect, test } from "bun:test";
import fc from "fast-check";
import { RateLimiter } from "../../src/http/rate-limit/rate-limit.ts";

const BEGIN = Date.UTC(2026, 10, 21);

/**
 * The algorithm's other form, "virtual scheduling" (ITU-T I.371, annex A): when the next request is due.
 * Times are exact: in milliseconds times the quota.
 */
class Model {
  readonly #quota: bigint;
  readonly #windowMs: bigint;
  #due: bigint | undefined;

  constructor(quota: number, windowSeconds: number) {
    this.#quota = BigInt(quota);
    this.#windowMs = BigInt(windowSeconds) * 1000n;
  }

  take(now: number): boolean {
    const at = BigInt(now) * this.#quota;
    const due = this.#due === undefined || this.#due < at ? at : this.#due;
    const fits = due + this.#windowMs - at <= this.#windowMs * this.#quota;
    if (fits) this.#due = due + this.#windowMs;
    return fits;
  }
}

const limit = fc.record({
  quota: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 999_999_999 })),
  windowSeconds: fc.constantFrom(1, 60, 3600),
});
/** Pauses before requests, as shares of the window: most of them short. */
const pauses = fc.array(
  fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.1, noNaN: true }), fc.constant(1.5)),
  {
    maxLength: 100,
    size: "max",
  },
);

const remainingOf = (headers: Record<string, string>) => {
  const [, r, t] = /^"default";r=([0-9]+);t=([0-9]+)$/.exec(headers.RateLimit ?? "") ?? [];
  return { remaining: Number(r), seconds: Number(t) };
};

test("the limiter grants and refuses exactly as the model does, separately for each caller", () => {
  fc.assert(
    fc.property(
      limit,
      pauses,
      fc.array(fc.nat(1), { maxLength: 100, size: "max" }),
      (limit, pauses, callers) => {
        const limiter = new RateLimiter(limit);
        const models = [0, 1].map(() => new Model(limit.quota, limit.windowSeconds));
        let now = BEGIN;
        for (const [index, pause] of pauses.entries()) {
          now += Math.round(pause * limit.windowSeconds * 1000);
          const caller = callers[index] ?? 0;
          expect(limiter.take(caller, now).retryAfterSeconds === 0).toBe(models[caller]?.take(now) ?? false);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("the whole quota may be used at once, and no request more", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.constantFrom(1, 60, 3600), (quota, windowSeconds) => {
      const limiter = new RateLimiter({ quota, windowSeconds });
      for (let n = 1; n <= quota; n++) {
        const { retryAfterSeconds, headers } = limiter.take(1, BEGIN);
        expect([retryAfterSeconds, remainingOf(headers).remaining]).toEqual([0, quota - n]);
      }
      expect(limiter.take(1, BEGIN).retryAfterSeconds).toBeGreaterThan(0);
    }),
    { numRuns: 100 },
  );
});

test("the headers keep their promise: the requests left now, and the seconds until another", () => {
  const few = fc.record({
    quota: fc.integer({ min: 1, max: 30 }),
    windowSeconds: fc.constantFrom(1, 60, 3600),
  });
  fc.assert(
    fc.property(few, pauses, (limit, pauses) => {
      const limiter = new RateLimiter(limit);
      let now = BEGIN;
      let last = limiter.take(1, now);
      for (const pause of pauses) {
        now += Math.round(pause * limit.windowSeconds * 1000);
        last = limiter.take(1, now);
      }
      const { remaining, seconds } = remainingOf(last.headers);
      for (let n = 0; n < remaining; n++) expect(limiter.take(1, now).retryAfterSeconds).toBe(0);
      const refused = limiter.take(1, now);
      expect(refused.retryAfterSeconds).toBe(remainingOf(refused.headers).seconds);
      expect(remainingOf(refused.headers)).toEqual({ remaining: 0, seconds });
      // Being refused costs nothing, and a second less would be too early.
      expect(limiter.take(1, now + (seconds - 1) * 1000).retryAfterSeconds).toBe(1);
      expect(limiter.take(1, now + seconds * 1000).retryAfterSeconds).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test("a clock that is set back locks no client out", () => {
  const limiter = new RateLimiter({ quota: 2, windowSeconds: 60 });
  expect(limiter.take(1, BEGIN).retryAfterSeconds).toBe(0);
  const earlier = BEGIN - 24 * 60 * 60 * 1000;
  expect(limiter.take(1, earlier).retryAfterSeconds).toBe(0);
  expect(limiter.take(1, earlier).retryAfterSeconds).toBe(30);
  expect(limiter.take(1, earlier + 30_000).retryAfterSeconds).toBe(0);
});
