/** The last time that has an RFC 3339 text: there is no year of five digits. Milliseconds since 1970. */
export const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** Writes a time in milliseconds since 1970 as RFC 3339, in UTC. */
export function rfc3339(time: number): string {
  return new Date(time).toISOString();
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/i;

/**
 * Parses an RFC 3339 time, or a date, which stands for its midnight in UTC. Returns milliseconds since 1970, or NaN for any
 * other text. A day that the month does not have is refused too: `Date` would accept 30 February.
 */
export function parseTime(text: string): number {
  const day = RFC_3339.exec(text)?.[1];
  const midnight = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(`${day}T`);
  return exists ? Date.parse(text.toUpperCase()) : Number.NaN;
}
