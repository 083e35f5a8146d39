/** The longest first wait, and the longest of all, in milliseconds. */
const FIRST_MS = 1_000;
const MAX_MS = 3_600_000;

/** How long an event is repeated, in milliseconds: a receiver may be down over a weekend. */
export const GIVE_UP_MS = 3 * 86_400_000;

/**
 * Milliseconds to wait before the next attempt: exponential back-off with full jitter, at least as long as the target asks
 * for with `Retry-After`, and never past the end of the time that is left, at which the last attempt takes place.
 *
 * @param failures how many attempts have failed, from 1
 * @param random from 0 to 1, exclusive
 */
export function backOff(
  failures: number,
  retryAfterMs: number | undefined,
  random: number,
  leftMs: number,
): number {
  const most = Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.min(Math.max(random * most, retryAfterMs ?? 0), leftMs);
}
