import { assert } from "../../contract/contract-violation.ts";
import type { ReadSpan } from "./linearize.ts";

/** When something was sent and answered, in milliseconds of the monotonic clock. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly request: string;
}

/** A page of a list that only grows, as a client saw it. */
export interface PageSeen extends Span {
  /** It had only ids above this one. */
  readonly after: number;
  readonly ids: readonly number[];
  /** Whether it said that more follow. */
  readonly more: boolean;
}

/** What a list holds in the end. */
interface GrownList {
  /** One item, for people. */
  readonly item: string;
  /** The ids that its pages must show, ascending. */
  readonly members: readonly number[];
  /** Whether its pages show nothing else. Items whose status changes may be on a page with a filter or not. */
  readonly isWhole: boolean;
  /** By id: the position among all items of the list without a filter, from 1. */
  readonly positions: ReadonlyMap<number, number>;
}

/**
 * What a page says of how many items could be seen.
 *
 * @throws BrokenPromise when it lacks an item that came before another on it
 */
export function readSpanOf(
  page: PageSeen,
  { item, members, isWhole, positions }: GrownList,
): Omit<ReadSpan, "describe"> {
  const { after, ids, more, from, to, request } = page;
  const start = firstAbove(members, after);
  const isMember = (id: number) => members[firstAbove(members, id - 1)] === id;
  const shown = isWhole ? ids : ids.filter(isMember);
  const last = ids.at(-1) ?? after;
  const missed = shown.findIndex((id, index) => members[start + index] !== id);
  const assertNone = (holds: boolean, member: number | undefined, before: number | undefined) =>
    assert(
      holds,
      `the ${item} ${member}, which was added before ${before}`,
      `a page without it: ${ids.join(", ")}`,
      request,
    );
  assertNone(missed < 0, members[start + missed], shown[missed]);
  const next = members[start + shown.length];
  assertNone(!more || next === undefined || next > last, next, last);
  const mayFollow = !more || next !== undefined || !isWhole;
  assert(mayFollow, "a link exactly when more follow", "one, and nothing follows", request);
  const positionOf = (id: number | undefined) => (id === undefined ? 0 : (positions.get(id) ?? 0));
  return {
    from,
    to,
    least: Math.max(positionOf(after), positionOf(more && isWhole ? next : ids.at(-1))),
    most: more || next === undefined ? Number.POSITIVE_INFINITY : positionOf(next) - 1,
  };
}

/** What a request for one item says of how many items could be seen. */
export function boundsOfGet(found: boolean, position: number | undefined): Pick<ReadSpan, "least" | "most"> {
  if (found) return { least: position ?? 0, most: Number.POSITIVE_INFINITY };
  return { least: 0, most: position === undefined ? Number.POSITIVE_INFINITY : position - 1 };
}

/** Where the first number above another stands in an ascending list. */
function firstAbove(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
