// Checks whether all operations on one object fit into one order, as if each operation had happened at one moment between
// its request and its response (Herlihy and Wing, 1990). It uses just-in-time linearization (Lowe, 2017): an operation is put
// into the order only when a response would otherwise come too late. Few operations on one object overlap, so few orders
// remain possible.

/** An operation on an object whose state is a number. Times are milliseconds of one monotonic clock. */
export interface Operation {
  readonly from: number;
  /** When its response was complete; `Infinity` if none came: then it may have happened at any time since, or never. */
  readonly to: number;
  /** Whether it leaves every state as it is. */
  readonly isRead: boolean;
  /** The state after it; `undefined` if it cannot have its response in this state. */
  readonly apply: (state: number) => number | undefined;
  readonly describe: () => string;
}

/** One way in which everything up to now may have happened. */
interface Way {
  readonly state: number;
  /** Operations under way that have happened, by their numbers, ascending. */
  readonly done: readonly number[];
}

type Ways = ReadonlyMap<string, Way>;

/** @returns the first operation whose response no order explains; `undefined` if there is an order */
export function misfitAmong(operations: readonly Operation[], initial: number): Operation | undefined {
  const moments = operations.flatMap(({ from, to }, number) => [
    { at: from, number, ends: false },
    ...(to === Number.POSITIVE_INFINITY ? [] : [{ at: to, number, ends: true }]),
  ]);
  // At the same time is not before.
  moments.sort((one, other) => one.at - other.at || Number(one.ends) - Number(other.ends));
  const underWay = new Set<number>();
  let ways: Ways = index([{ state: initial, done: [] }]);
  for (const { number, ends } of moments) {
    const operation = operations[number] as Operation;
    if (!ends) {
      underWay.add(number);
      if (operation.isRead)
        ways = index([...ways.values()].map((way) => withReads(way, [number], operations)));
      continue;
    }
    ways = waysThrough(number, ways, underWay, operations);
    if (ways.size === 0) return operation;
    underWay.delete(number);
  }
  return undefined;
}

/** The ways in which an operation has happened before its response. */
function waysThrough(
  number: number,
  ways: Ways,
  underWay: ReadonlySet<number>,
  operations: readonly Operation[],
): Ways {
  const reads = [...underWay].filter((each) => operations[each]?.isRead);
  const writes = [...underWay].filter((each) => !operations[each]?.isRead);
  const seen = new Set(ways.keys());
  const open = [...ways.values()];
  const through: Way[] = [];
  for (let way = open.pop(); way; way = open.pop()) {
    if (way.done.includes(number)) {
      through.push({ ...way, done: way.done.filter((each) => each !== number) });
      continue;
    }
    for (const write of writes) {
      if (way.done.includes(write)) continue;
      const state = operations[write]?.apply(way.state);
      if (state === undefined) continue;
      const done = [...way.done, write].sort((one, other) => one - other);
      const next = withReads({ state, done }, reads, operations);
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
  return index(through);
}

/** A read changes nothing, so the first moment at which it can happen is the best. */
function withReads(way: Way, reads: readonly number[], operations: readonly Operation[]): Way {
  const possible = reads.filter(
    (read) => !way.done.includes(read) && operations[read]?.apply(way.state) !== undefined,
  );
  if (possible.length === 0) return way;
  return { ...way, done: [...way.done, ...possible].sort((one, other) => one - other) };
}

function index(ways: readonly Way[]): Ways {
  return new Map(ways.map((way) => [keyOf(way), way]));
}

function keyOf({ state, done }: Way): string {
  return `${state}:${done.join()}`;
}
