// Checks whether all operations on a list that only grows fit into one order, as if each operation had
// happened at one moment between its request and its response (Herlihy and Wing, 1990).
//
// For most objects that is hard to decide. Here the ids give the order of the creates, so the list is a counter: the number
// of visible animals. A create raises it to its animal's position. A read bounds it: every animal that the read showed was
// visible, and the next animal was not. So each position and each read needs a moment between two
// given times, and some moments must not come after others. Such moments exist exactly if none of the earliest possible
// moments is too late.

/** The create of the animal at a position. Times are milliseconds of one monotonic clock. */
export interface CreateSpan {
  readonly from: number;
  /** When it was acknowledged; `Infinity` if no response came. */
  readonly to: number;
  readonly describe: () => string;
}

/** What a read says of how many animals could be seen at some moment between `from` and `to`. */
export interface ReadSpan {
  readonly from: number;
  readonly to: number;
  readonly least: number;
  /** `Infinity` if the read would have shown no further animal. */
  readonly most: number;
  readonly describe: () => string;
}

/** Two operations whose responses contradict each other. */
interface Contradiction {
  readonly earlier: string;
  readonly later: string;
}

interface Bound {
  readonly at: number;
  /** The operation that it comes from. */
  readonly because: () => string;
}

/**
 * @param creates by the position of their animals, which is the order of the ids
 * @returns undefined if there is such an order
 */
export function contradictionIn(
  creates: readonly CreateSpan[],
  reads: readonly ReadSpan[],
): Contradiction | undefined {
  const start: Bound = { at: Number.NEGATIVE_INFINITY, because: () => "the beginning" };
  /** The earliest moment at which a number of animals is visible, by that number. */
  const earliest: Bound[] = [start];
  const readsByMost = Map.groupBy(reads, ({ most }) => Math.min(most, creates.length));
  for (let count = 0; count <= creates.length; count++) {
    // Reads that did not see the next position come before it.
    let bound = earliest[count] ?? start;
    for (const read of readsByMost.get(count) ?? []) {
      if (read.least > count) return { earlier: read.describe(), later: read.describe() };
      const sight = earliest[read.least] ?? start;
      if (sight.at > read.to) return { earlier: read.describe(), later: sight.because() };
      const moment = Math.max(read.from, sight.at);
      if (moment > bound.at)
        bound = { at: moment, because: read.from >= sight.at ? read.describe : sight.because };
    }
    const create = creates[count];
    if (!create) return undefined;
    if (create.from > bound.at) bound = { at: create.from, because: create.describe };
    if (bound.at > create.to) return { earlier: create.describe(), later: bound.because() };
    earliest.push(bound);
  }
  return undefined;
}
