import { ConnectionError, ServiceError, UnexpectedResponseError } from "./errors.ts";

/** Statuses after which a repeated request may succeed: timeouts, limits, outages, and a proxy's 502 and 504. */
export const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** The longest first wait. With less time than this left, a call gives up. */
export const BACKOFF_FIRST_MS = 200;
/** A wait is longer than this only where `Retry-After` asks for it. */
export const BACKOFF_MAX_MS = 5_000;

/** A failure that may pass, with the milliseconds to wait that the response gives. */
interface TransientFailure {
  readonly retryAfterMs?: number | undefined;
}

/** The error as a failure that may pass; undefined if the same request would fail again. */
export function transientFailure(error: unknown): TransientFailure | undefined {
  if (error instanceof ConnectionError) return {};
  const isResponse = error instanceof ServiceError || error instanceof UnexpectedResponseError;
  return isResponse && TRANSIENT.has(error.status) ? error : undefined;
}

/**
 * Milliseconds to wait before a retry: exponential back-off with full jitter, so that clients which failed together do not
 * return together; never less than the service asks for, and otherwise within the time that is left.
 * @param retry 0 for the first
 * @param random from 0 to 1, exclusive
 */
export function retryDelay(
  retry: number,
  retryAfterMs: number | undefined,
  random: number,
  leftMs: number,
): number {
  const asked = retryAfterMs ?? 0;
  const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** retry, Math.max(0, leftMs - asked));
  return asked + backoff * random;
}
