import type { ReadAnimal, Status } from "./animal.ts";

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

export interface Page {
  /** In ascending order of id. */
  readonly animals: readonly ReadAnimal[];
  /** Whether animals follow that the limit left out. */
  readonly more: boolean;
}

/** Reads a limit in plain decimal, 1 to 100: no sign, no leading zero. Anything else is `undefined`. */
export function parseLimit(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,2}$/.test(text)) return undefined;
  const limit = Number(text);
  return limit <= LIMIT_MAX ? limit : undefined;
}
