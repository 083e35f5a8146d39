import { z } from "zod";
import { durationMs } from "../config/parsers.ts";
import { LAST_TIME, parseTime } from "../domain/time.ts";

/** A clock that runs as the real one does, from a time that can be set; at the end of the year 9999 it stops. */
export class SandboxClock {
  readonly #real: () => number;
  #offsetMs = 0;

  /** @param real milliseconds since 1970 */
  constructor(real: () => number) {
    this.#real = real;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => Math.min(this.#real() + this.#offsetMs, LAST_TIME);

  /** @param time milliseconds since 1970 */
  set(time: number): void {
    this.#offsetMs = time - this.#real();
  }

  /** Follows the real clock again. */
  reset(): void {
    this.#offsetMs = 0;
  }
}

const DURATION_RULE = "must be a duration, for example 90s, 25h or 8d";
const CLOCK_FROM = Date.UTC(2000, 0, 1);
const CLOCK_RULE = "must be an RFC 3339 time from the years 2000 to 9999, for example 2030-12-05T00:00:00Z";

/** A new time, in milliseconds since 1970: `now`, or `advance` from the present one. */
export function clockSchema(present: number) {
  const members = {
    now: z.string({ error: CLOCK_RULE }).optional(),
    advance: z.string({ error: DURATION_RULE }).optional(),
  };
  return z.object(members).transform(({ now, advance }, context) => {
    const refuse = (path: string, message: string) => {
      context.addIssue({ code: "custom", path: [path], message });
      return z.NEVER;
    };
    if (now === undefined && advance === undefined)
      return refuse("now", "must be a time, unless `advance` is given");
    if (now !== undefined && advance !== undefined) return refuse("advance", "must not be given with `now`");
    const duration = advance === undefined ? 0 : durationMs(advance);
    if (duration === undefined) return refuse("advance", DURATION_RULE);
    const time = now === undefined ? present + duration : parseTime(now);
    if (time >= CLOCK_FROM && time <= LAST_TIME) return time;
    return now === undefined
      ? refuse("advance", "must not lead past the year 9999")
      : refuse("now", CLOCK_RULE);
  });
}
