import type { Side } from "./side.ts";

/** What others build such a service of, doing the same work on the same data. */
export const peersOnSql: readonly Side[] = [];

/** What gives an interface without writing one: no keys, and nothing durable. */
export const peersWithDataOfTheirOwn: readonly Side[] = [];
