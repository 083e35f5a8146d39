import { durationMs } from "../config/parsers.ts";
import { parseTime } from "../domain/time.ts";
import { CommandFailure } from "./errors.ts";

/** RFC 3339 has no year of five digits. */
const LAST_MOMENT = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Reads a duration, such as `90d`, `12h`, `30m`, `45s` or `2w`, in milliseconds.
 *
 * @param flag names it in the message of a `CommandFailure`
 */
export function parseDuration(text: string, flag: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new CommandFailure(
    `${flag} is ${JSON.stringify(text)}; it must be a duration, for example 90d, 12h or 30m.`,
    2,
  );
}

/** A time for people and `--json`, in UTC (RFC 3339). */
export function toIsoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Reads a moment to come: a duration from `now`, a date, or an RFC 3339 time; milliseconds since 1970. */
export function parseMoment(text: string, flag: string, now: number): number {
  const duration = durationMs(text);
  const moment = duration === undefined ? parseTime(text) : now + duration;
  if (!(moment > now && moment <= LAST_MOMENT)) {
    throw new CommandFailure(
      `${flag} is ${JSON.stringify(text)}; it must lie in the future, for example 90d or 2027-01-31T12:00:00Z.`,
      2,
    );
  }
  return moment;
}
