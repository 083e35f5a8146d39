/**
 * Reads `Retry-After`, seconds or a date (RFC 9110, section 10.2.3), as milliseconds from now.
 * @param now milliseconds since 1970
 */
export function retryAfterMs(header: string, now: number): number | undefined {
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
