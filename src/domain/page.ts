import type { Status } from "./animal.ts";

export const LIMIT_MIN = 1;
export const LIMIT_MAX = 100;
export const LIMIT_DEFAULT = 20;

/** The order of a list: by ascending id, or from the newest item to the oldest. */
export const SORTS = ["id", "-id"] as const;
export type Sort = (typeof SORTS)[number];

/** Where a list starts: no item has an id there or before it, in this order. */
export const START: Readonly<Record<Sort, bigint>> = { id: 0n, "-id": 2n ** 63n };

/** The bound of the range of ids that follow `after`: the ids above it, or, newest first, the ids up to it. */
export function boundOf(sort: Sort, after: bigint): bigint {
  return sort === "id" ? after : after - 1n;
}

/** By which members animals are listed: only those with exactly this value. */
export interface Filters {
  readonly status: Status | undefined;
}

/** Selects animals to list, by keyset, so that every page costs the same. */
export interface PageQuery extends Filters {
  /** The order of the animals; `id` if it is left out. */
  readonly sort?: Sort;
  /** Only ids that follow this one in that order. */
  readonly after: bigint;
  /** The maximum number of animals. */
  readonly limit: number;
}

export interface Page<Item> {
  /** In the order that was asked for. */
  readonly items: readonly Item[];
  /** Whether more items follow. */
  readonly more: boolean;
}

/** The page of a query that fetched one item beyond its limit to see whether more follow. */
export function pageOf<Item>(found: readonly Item[], limit: number): Page<Item> {
  return found.length > limit ? { items: found.slice(0, limit), more: true } : { items: found, more: false };
}

/** Parses a limit of 1 to 100 in plain decimal, without sign or leading zero; otherwise returns `undefined`. */
export function parseLimit(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,2}$/.test(text)) return undefined;
  const limit = Number(text);
  return limit <= LIMIT_MAX ? limit : undefined;
}
