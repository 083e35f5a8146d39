import { ask, type JournalRequest } from "./control.ts";

/** The latest requests of a journal. */
export interface LatestRequests {
  /** All that the journal has. */
  readonly count: number;
  /** The latest last. */
  readonly requests: readonly JournalRequest[];
}

export const NO_REQUESTS: LatestRequests = { count: 0, requests: [] };

const SHOWN_MAX = 100;
/** The most that the journal shows at once. */
const PAGE = 1000;

/**
 * Reads what a journal has beyond what is known of it.
 *
 * @param filter the parameters of a filter
 * @throws Refusal
 */
export async function readLatest(
  key: string,
  filter: string,
  known: LatestRequests,
): Promise<LatestRequests> {
  const { count } = await ask<LatestRequests>(key, "GET", `/requests?limit=0${filter}`);
  // A request in progress gets its response later.
  const pending = known.requests.find(({ response }) => response === null);
  let last = pending ? pending.id - 1 : (known.requests.at(-1)?.id ?? 0);
  let requests = known.requests.filter(({ id }) => id <= last);
  for (let isWhole = false; !isWhole; ) {
    const path = `/requests?after=${last}&limit=${PAGE}${filter}`;
    const { requests: more } = await ask<LatestRequests>(key, "GET", path);
    requests = [...requests, ...more].slice(-SHOWN_MAX);
    last = more.at(-1)?.id ?? last;
    isWhole = more.length < PAGE;
  }
  // What was deleted meanwhile is before the rest.
  return { count, requests: requests.slice(Math.max(0, requests.length - count)) };
}
