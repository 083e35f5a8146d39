import { expect, test } from "bun:test";
import fc from "fast-check";
import { misfitAmong, type Operation } from "../../verify/history/linearize-object.ts";

// A register that holds a number, 0 at first.

function write(from: number, to: number, value: number): Operation {
  return { from, to, isRead: false, apply: () => value, describe: () => `write ${value}` };
}

function read(from: number, to: number, value: number): Operation {
  const apply = (state: number) => (state === value ? state : undefined);
  return { from, to, isRead: true, apply, describe: () => `read ${value}` };
}

function swap(from: number, to: number, expected: number, value: number): Operation {
  const apply = (state: number) => (state === expected ? value : undefined);
  return { from, to, isRead: false, apply, describe: () => `swap ${expected} for ${value}` };
}

const NEVER = Number.POSITIVE_INFINITY;

const POSSIBLE: Readonly<Record<string, readonly Operation[]>> = {
  nothing: [],
  "reads after writes": [write(0, 1, 5), read(2, 3, 5), write(4, 5, 6), read(6, 7, 6)],
  "a read during a write, before it and after it": [write(0, 10, 5), read(1, 2, 0), read(3, 4, 5)],
  "a write without an answer that is seen": [write(0, NEVER, 5), read(1, 2, 0), read(3, 4, 5)],
  "a write without an answer that is never seen": [write(0, NEVER, 5), read(8, 9, 0)],
  "a write without an answer that happens late": [
    write(0, NEVER, 5),
    write(1, 2, 6),
    read(3, 4, 6),
    read(5, 6, 5),
  ],
  "answers at the moment of the next request": [write(0, 1, 5), read(1, 1, 0)],
  "a value that comes back": [write(0, 1, 5), write(2, 3, 0), read(4, 5, 0), write(6, 7, 5), read(8, 9, 5)],
  "swaps that overlap in one possible order": [
    swap(0, 9, 2, 3),
    swap(0, 9, 0, 1),
    swap(0, 9, 1, 2),
    read(9, 10, 3),
  ],
};

const IMPOSSIBLE: Readonly<Record<string, readonly [operations: readonly Operation[], misfit: string]>> = {
  "a stale read": [[write(0, 1, 5), read(2, 3, 0)], "read 0"],
  "a read of what was never written": [[write(0, 1, 5), read(2, 3, 7)], "read 7"],
  "a read of what is written later": [[read(0, 1, 5), write(2, 3, 5)], "read 5"],
  "two reads that see two writes in turn": [
    [write(0, 20, 5), write(0, 20, 6), read(1, 2, 5), read(3, 4, 6), read(5, 6, 5)],
    "read 5",
  ],
  "a lost update": [[swap(0, 5, 0, 1), swap(0, 5, 0, 1)], "swap 0 for 1"],
  "reads of a write that was not yet sent, although it was never answered": [
    [read(0, 1, 5), write(2, NEVER, 5)],
    "read 5",
  ],
};

for (const [name, operations] of Object.entries(POSSIBLE))
  test(`${name}: an order exists`, () => {
    expect(misfitAmong(operations, 0)?.describe()).toBeUndefined();
    expect(misfitAmong(operations.toReversed(), 0)?.describe()).toBeUndefined();
  });

for (const [name, [operations, misfit]] of Object.entries(IMPOSSIBLE))
  test(`${name}: no order exists`, () => {
    expect(misfitAmong(operations, 0)?.describe()).toBe(misfit);
    expect(misfitAmong(operations.toReversed(), 0)?.describe()).toBe(misfit);
  });

test("any history of at most five operations: the same verdict as trying every order", () => {
  const value = fc.integer({ min: 0, max: 2 });
  const span = fc
    .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 4 }), fc.boolean())
    .map(([from, length, isLost]) => [from, isLost ? NEVER : from + length] as const);
  const operation = fc.oneof(
    fc.tuple(span, value).map(([[from, to], each]) => write(from, to, each)),
    fc.tuple(span, value, value).map(([[from, to], one, other]) => swap(from, to, one, other)),
    fc.tuple(span, value).map(([[from, to], each]) => read(from, to === NEVER ? from : to, each)),
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 5 }), (operations) => {
      expect(misfitAmong(operations, 0) === undefined).toBe(hasOrder(operations));
    }),
    { numRuns: 5000 },
  );
});

/** Tries every order. Moments need not be distinct: operations that touch may come in either order. */
function hasOrder(operations: readonly Operation[]): boolean {
  const search = (at: number, state: number, left: readonly Operation[]): boolean =>
    left.every(({ to }) => to === NEVER) ||
    left.some((each, index) => {
      const moment = Math.max(at, each.from);
      const next = each.apply(state);
      return moment <= each.to && next !== undefined && search(moment, next, left.toSpliced(index, 1));
    });
  return search(Number.NEGATIVE_INFINITY, 0, operations);
}
