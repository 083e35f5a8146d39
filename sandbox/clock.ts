import { z } from "zod";
import { durationMs } from "../src/config/parsers.ts";
import { LAST_TIME, parseTime } from "../src/domain/time.ts";

/** How a clock was set: its distance from the real one, or the time at which it stands still. */
export interface ClockSetting {
  readonly offsetMs: number;
  readonly frozenAt: number | undefined;
}

const REAL_TIME: ClockSetting = { offsetMs: 0, frozenAt: undefined };

/**
 * A clock that runs as the real one does, from a time that can be set, or stands still; at the end of the year 9999 it stops.
 */
export class SandboxClock {
  readonly #real: () => number;
  /** A snapshot keeps it, and restores it. */
  setting = REAL_TIME;

  /** @param real milliseconds since 1970 */
  constructor(real: () => number) {
    this.#real = real;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => {
    const { offsetMs, frozenAt } = this.setting;
    return Math.min(frozenAt ?? this.#real() + offsetMs, LAST_TIME);
  };

  get isFrozen(): boolean {
    return this.setting.frozenAt !== undefined;
  }

  /** @param time milliseconds since 1970 */
  set({ time, isFrozen }: ClockChange): void {
    this.setting = { offsetMs: time - this.#real(), frozenAt: isFrozen ? time : undefined };
  }

  /** Follows the real clock again. */
  reset(): void {
    this.setting = REAL_TIME;
  }
}

/** What a clock is to show. */
interface ClockChange {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly isFrozen: boolean;
}

const DURATION_RULE = "must be a duration, for example 90s, 25h or 8d";
const CLOCK_FROM = Date.UTC(2000, 0, 1);
const CLOCK_RULE = "must be an RFC 3339 time from the years 2000 to 9999, for example 2030-12-05T00:00:00Z";

/** A new time: `now`, or `advance` from the present one. A clock stays frozen, or running, unless `frozen` says otherwise. */
export function clockSchema(clock: SandboxClock) {
  const members = {
    now: z.string({ error: CLOCK_RULE }).optional(),
    advance: z.string({ error: DURATION_RULE }).optional(),
    frozen: z.boolean({ error: "must be true or false" }).optional(),
  };
  return z.object(members).transform(({ now, advance, frozen }, context): ClockChange => {
    const refuse = (path: string, message: string) => {
      context.addIssue({ code: "custom", path: [path], message });
      return z.NEVER;
    };
    if (now === undefined && advance === undefined && frozen === undefined)
      return refuse("now", "must be a time, unless `advance` or `frozen` is given");
    if (now !== undefined && advance !== undefined) return refuse("advance", "must not be given with `now`");
    const duration = advance === undefined ? 0 : durationMs(advance);
    if (duration === undefined) return refuse("advance", DURATION_RULE);
    const time = now === undefined ? clock.now() + duration : parseTime(now);
    if (time >= CLOCK_FROM && time <= LAST_TIME) return { time, isFrozen: frozen ?? clock.isFrozen };
    return now === undefined
      ? refuse("advance", "must not lead past the year 9999")
      : refuse("now", CLOCK_RULE);
  });
}
