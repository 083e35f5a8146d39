import { durationMs } from "../../config/parsers.ts";
import { LAST_TIME, parseTime } from "../../domain/time.ts";
import { wrongValue } from "../../process/errors.ts";

/**
 * Reads a duration, such as `90d`, `12h`, `30m`, `45s` or `2w`, in milliseconds.
 *
 * @param flag names it in the message of a `CommandFailure`
 */
export function parseDuration(text: string, flag: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds !== undefined) return milliseconds;
  throw wrongValue(flag, text, "be a duration, for example 90d, 12h or 30m");
}

/**
 * Reads a time in the future: a duration from `now`, a date, or an RFC 3339 time; all in milliseconds since 1970.
 *
 * @param flag names it in the message of a `CommandFailure`
 */
export function parseMoment(text: string, flag: string, now: number): number {
  const duration = durationMs(text);
  const moment = duration === undefined ? parseTime(text) : now + duration;
  if (moment > now && moment <= LAST_TIME) return moment;
  const rule = "be a duration, a date or an RFC 3339 time in the future, up to the year 9999";
  throw wrongValue(flag, text, `${rule}, for example 90d or 2027-01-31T12:00:00Z`);
}
