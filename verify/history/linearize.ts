// Whether what clients saw of a list that only grows can be put in one order, as if each operation had
// happened at one moment between its request and its answer (Herlihy and Wing, 1990).
//
// Of most objects that is hard to decide. Here the ids tell the order of the creates, so the list is a counter:
// how many animals can be seen. A create raises it to its animal's position. A read tells bounds: what it
// showed could be seen, what it ought to have shown and did not could not. So what is sought are moments, one
// for each position and each read, of which some must not come after others, each between two given times.
// Such moments exist exactly when the earliest that the order leaves to each is not too late for it.

/** How an animal came to its position. Times are milliseconds of one monotonic clock. */
export interface CreateSpan {
  readonly from: number;
  /** When it was acknowledged; `Infinity` where no answer came. */
  readonly to: number;
  readonly describe: () => string;
}

/** What a read says of how many animals could be seen at some moment between `from` and `to`. */
export interface ReadSpan {
  readonly from: number;
  readonly to: number;
  readonly least: number;
  /** `Infinity` where it would have shown no animal that there is. */
  readonly most: number;
  readonly describe: () => string;
}

/** Two operations whose answers contradict each other. */
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
 * @returns undefined where there is such an order
 */
export function contradictionIn(
  creates: readonly CreateSpan[],
  reads: readonly ReadSpan[],
): Contradiction | undefined {
  const start: Bound = { at: Number.NEGATIVE_INFINITY, because: () => "the beginning" };
  /** The earliest moment at which so many animals can be seen, by their number. */
  const earliest: Bound[] = [start];
  const readsByMost = Map.groupBy(reads, ({ most }) => Math.min(most, creates.length));
  for (let count = 0; count <= creates.length; count++) {
    // Those that did not see the next position come before it.
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
