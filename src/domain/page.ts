import type { Status } from "./animal.ts";

export const LIMIT_MIN = 1;
export const LIMIT_MAX = 100;
export const LIMIT_DEFAULT = 20;

/** Which part of the stock to list: by keyset, so that every page costs the same. */
export interface PageQuery {
  readonly status: Status | undefined;
  /** Only ids above this one. */
  readonly after: bigint;
  /** At most so many animals. */
  readonly limit: number;
}

export interface Page<Item> {
  /** In ascending order of id. */
  readonly items: readonly Item[];
  /** Whether items follow that the limit left out. */
  readonly more: boolean;
}

/** The page of a query that asked for one item more than its limit, to see whether more follow. */
export function pageOf<Item>(found: readonly Item[], limit: number): Page<Item> {
  return found.length > limit ? { items: found.slice(0, limit), more: true } : { items: found, more: false };
}

/** Reads a limit in plain decimal, 1 to 100: no sign, no leading zero. Anything else is `undefined`. */
export function parseLimit(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,2}$/.test(text)) return undefined;
  const limit = Number(text);
  return limit <= LIMIT_MAX ? limit : undefined;
}
