import type { SQL } from "bun";
import { RESTORE_MIN_MS, type StandbyMarks } from "./marks.ts";

/** The marks that a packet ends with, and when it left. */
interface Last {
  readonly marks: Promise<StandbyMarks>;
  readonly askedAt: number;
}

/**
 * The marks that each connection to a standby has shown last. What a server shows grows while a connection lasts, unless it replays
 * that a dump was restored. So they also hold before the reads that follow, and a packet need not begin with marks of its own.
 */
export class LastMarks {
  readonly #last = new WeakMap<SQL, Last>();

  /**
   * The marks of the last packet on a connection, which may be under way. They are `undefined` if the primary has changed since,
   * or too much time has passed, so that fresh marks may tell more.
   *
   * @param changedAt when the primary's marks changed last, as `now`
   * @param now milliseconds of the monotonic clock
   */
  before(sql: SQL, changedAt: number, now: number): Promise<StandbyMarks> | undefined {
    const last = this.#last.get(sql);
    const earliest = Math.max(changedAt, now - RESTORE_MIN_MS);
    return last && last.askedAt >= earliest ? last.marks : undefined;
  }

  /** Remembers the marks that a packet ends with. @param askedAt when it left, in milliseconds of the monotonic clock */
  note(sql: SQL, marks: Promise<StandbyMarks>, askedAt: number): void {
    this.#last.set(sql, { marks, askedAt });
  }
}
