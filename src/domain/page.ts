import type { Status } from "./animal.ts";

export const LIMIT_MIN = 1;
export const LIMIT_MAX = 100;
export const LIMIT_DEFAULT = 20;

/** Selects animals to list, by keyset, so that every page costs the same. */
export interface PageQuery {
  readonly status: Status | undefined;
  /** Only ids above this one. */
  readonly after: bigint;
  /** The maximum number of animals. */
  readonly limit: number;
}

export interface Page<Item> {
  /** In ascending order of id. */
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
