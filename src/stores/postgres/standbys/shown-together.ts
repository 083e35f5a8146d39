import type { Marks } from "./marks.ts";
import { type NumberedNotes, note } from "./numbered-notes.ts";

/** The numbers of both logs. */
export interface Numbers {
  readonly appends: number;
  readonly rewrites: number;
}

/** The lowest and the highest number of a log that was shown together with one number of the other log. */
type Range = readonly [lowest: number, highest: number];

/**
 * Which numbers of both logs the primary has shown at once. Within a log, changes become visible in their order. Of two changes of
 * different logs PostgreSQL may show the later one first, for example when both have waited for a synchronous standby, but standbys
 * replay them in the order of its own log. So a standby may show what the primary never did: the first without the second.
 */
export class ShownTogether {
  /** By the number of `rewrites`: the numbers of `appends`; and the reverse. */
  readonly #appends: NumberedNotes<Range> = new Map();
  readonly #rewrites: NumberedNotes<Range> = new Map();

  note({ appends, rewrites }: Marks): void {
    extend(this.#appends, rewrites.number, appends.number);
    extend(this.#rewrites, appends.number, rewrites.number);
  }

  /**
   * Whether the primary has shown all that a server may have shown on its way between two moments: one log stayed as it is, and of
   * the other, together with that, the primary has shown no more before and no less later.
   *
   * @param now what the primary shows now, which is not noted
   */
  has(from: Numbers, to: Numbers, now: Numbers | undefined): boolean {
    if (from.rewrites === to.rewrites) {
      const later = now?.rewrites === to.rewrites ? now.appends : 0;
      if (contains(this.#appends.get(to.rewrites), from.appends, to.appends, later)) return true;
    }
    if (from.appends !== to.appends) return false;
    const later = now?.appends === to.appends ? now.rewrites : 0;
    return contains(this.#rewrites.get(to.appends), from.rewrites, to.rewrites, later);
  }

  clear(): void {
    this.#appends.clear();
    this.#rewrites.clear();
  }
}

function extend(ranges: NumberedNotes<Range>, at: number, number: number): void {
  const [lowest, highest] = ranges.get(at) ?? [number, number];
  note(ranges, at, [Math.min(lowest, number), Math.max(highest, number)]);
}

/** Whether a range that may go on up to a later number has both of two numbers. */
function contains(range: Range | undefined, from: number, to: number, later: number): boolean {
  return range !== undefined && range[0] <= from && to <= Math.max(range[1], later);
}
