const RFC_3339 = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/i;

/**
 * Reads an RFC 3339 time, or a date, whose moment is its midnight in UTC: milliseconds since 1970. NaN for other texts,
 * and for a day that its month does not have: `Date` would accept 30 February.
 */
export function parseTime(text: string): number {
  const day = RFC_3339.exec(text)?.[1];
  const midnight = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(`${day}T`);
  return exists ? Date.parse(text.toUpperCase()) : Number.NaN;
}
