import { ask, type Delivery, type JournalRequest } from "./control.ts";

/** The latest entries of a list. */
export interface Latest<Entry> {
  /** All that the list has. */
  readonly count: number;
  /** The latest last. */
  readonly entries: readonly Entry[];
}

export const NO_ENTRIES: Latest<never> = { count: 0, entries: [] };

/** A list of the control interface. */
interface List<Entry> {
  readonly name: string;
  /** Whether what became of an entry is shown later. */
  isPending(entry: Entry): boolean;
}

export const REQUESTS: List<JournalRequest> = {
  name: "requests",
  isPending: ({ response }) => response === null,
};

export const DELIVERIES: List<Delivery> = {
  name: "deliveries",
  isPending: ({ outcome }) => outcome === null,
};

const SHOWN_MAX = 100;
/** The most that a list shows at once. */
const PAGE = 1000;

/**
 * Reads what a list has beyond what is known of it.
 *
 * @param filter the parameters of a filter
 * @throws Refusal
 */
export async function readLatest<Entry extends { readonly id: number }>(
  key: string,
  { name, isPending }: List<Entry>,
  filter: string,
  known: Latest<Entry>,
): Promise<Latest<Entry>> {
  const { count } = await ask<{ count: number }>(key, "GET", `/${name}?limit=0${filter}`);
  const pending = known.entries.find(isPending);
  let last = pending ? pending.id - 1 : (known.entries.at(-1)?.id ?? 0);
  let entries = known.entries.filter(({ id }) => id <= last);
  for (let isWhole = false; !isWhole; ) {
    const path = `/${name}?after=${last}&limit=${PAGE}${filter}`;
    const page = await ask<Readonly<Record<string, readonly Entry[]>>>(key, "GET", path);
    const more = page[name] ?? [];
    entries = [...entries, ...more].slice(-SHOWN_MAX);
    last = more.at(-1)?.id ?? last;
    isWhole = more.length < PAGE;
  }
  // What was deleted meanwhile is before the rest.
  return { count, entries: entries.slice(Math.max(0, entries.length - count)) };
}

/** How many entries there are, and how many of them are shown. */
export function shownOf({ count, entries }: Latest<unknown>, one: string, many: string): string {
  const all = `${count} ${count === 1 ? one : many}`;
  return entries.length < count ? `${all}, the latest ${entries.length} shown` : all;
}
