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
