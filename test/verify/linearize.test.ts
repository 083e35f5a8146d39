import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type CreateSpan, contradictionIn, type ReadSpan } from "../../verify/history/linearize.ts";

const LAST = Number.POSITIVE_INFINITY;

function create(from: number, to: number): CreateSpan {
  return { from, to, describe: () => `create ${from}-${to}` };
}

/** A read that saw exactly so many, or something between. */
function read(from: number, to: number, least: number, most = least): ReadSpan {
  return { from, to, least, most, describe: () => `read ${from}-${to}` };
}

describe("a history with an order:", () => {
  const cases: Record<string, readonly [CreateSpan[], ReadSpan[]]> = {
    nothing: [[], []],
    "reads of nothing": [[], [read(1, 2, 0, LAST)]],
    "one after the other": [
      [create(1, 2), create(3, 4)],
      [read(2, 3, 1), read(5, 6, 2, LAST)],
    ],
    "creates at once, in any order": [[create(2, 9), create(1, 8)], []],
    "a create that is seen before it is acknowledged": [[create(1, 9)], [read(2, 3, 1, LAST)]],
    "a create that is not seen yet while it is under way": [
      [create(1, 9)],
      [read(2, 3, 0), read(4, 5, 1, LAST)],
    ],
    "a create without an answer, seen much later": [
      [create(1, LAST)],
      [read(50, 51, 0), read(60, 61, 1, LAST)],
    ],
    "two reads at once that see different things": [[create(1, 9)], [read(2, 6, 1, LAST), read(3, 7, 0)]],
  };
  for (const [name, [creates, reads]] of Object.entries(cases))
    test(name, () => expect(contradictionIn(creates, reads)).toBeUndefined());
});

describe("a history without an order:", () => {
  const cases: Record<string, readonly [CreateSpan[], ReadSpan[]]> = {
    "ids against the order of the creates": [[create(5, 6), create(1, 2)], []],
    "an acknowledged animal that a later list does not show": [[create(1, 2)], [read(3, 4, 0)]],
    "something seen that disappears": [[create(1, 9)], [read(2, 3, 1, LAST), read(4, 5, 0)]],
    "an animal before it was sent": [[create(5, 6)], [read(1, 2, 1, LAST)]],
    "an animal that was acknowledged, where a later list shows only the animal after it": [
      [create(1, 2), create(8, 9)],
      [read(3, 4, 2, LAST)],
    ],
    "a read that contradicts itself": [[create(1, 9), create(1, 9)], [read(2, 3, 2, 1)]],
    "a lower id that is not there when a higher one has been acknowledged": [
      [create(1, LAST), create(1, 2)],
      [read(3, 4, 0)],
    ],
  };
  for (const [name, [creates, reads]] of Object.entries(cases)) {
    test(name, () => {
      const found = contradictionIn(creates, reads);
      expect(found?.earlier).toMatch(/^(create|read) /);
      expect(found?.later).toMatch(/^(create|read) /);
    });
  }
});

test("any history of at most five operations: the same verdict as trying every order", () => {
  const span = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 4 }));
  const creates = fc.array(
    span.map(([from, length]) => create(from, from + length)),
    { maxLength: 3 },
  );
  const reads = fc.array(
    fc
      .tuple(span, fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 }))
      .map(([[from, length], least, more]) => read(from, from + length, least, least + more)),
    { maxLength: 2 },
  );
  fc.assert(
    fc.property(creates, reads, (creates, reads) => {
      // What was shown is there.
      const possible = reads.filter(({ least }) => least <= creates.length);
      expect(contradictionIn(creates, possible) === undefined).toBe(hasOrder(creates, possible));
    }),
    { numRuns: 3000 },
  );
});

/** Tries every order. Moments need not be distinct: operations that touch may come in either order. */
function hasOrder(creates: readonly CreateSpan[], reads: readonly ReadSpan[]): boolean {
  const search = (at: number, count: number, left: readonly ReadSpan[]): boolean => {
    const next = creates[count];
    if (!next && left.length === 0) return true;
    if (next && Math.max(at, next.from) <= next.to && search(Math.max(at, next.from), count + 1, left))
      return true;
    return left.some((each, index) => {
      const moment = Math.max(at, each.from);
      const fits = moment <= each.to && each.least <= count && count <= each.most;
      return fits && search(moment, count, left.toSpliced(index, 1));
    });
  };
  return search(Number.NEGATIVE_INFINITY, 0, reads);
}
