import { useCallback, useState } from "preact/hooks";
import type { Exchange } from "../browser/call.ts";
import { type Int64, itemsOf, nextOf } from "./body.ts";
import type { StoreEvent } from "./feed.ts";
import type { Session } from "./session.ts";
import { useLoaded } from "./use-loaded.ts";

/** A page of a list of the service, or why it cannot be shown. */
export interface List<Item> {
  /** `undefined` until the first page has come. */
  readonly items: readonly Item[] | undefined;
  /** The service's link to the next page. */
  readonly next: string | undefined;
  readonly problem: Exchange | undefined;
  readonly isBusy: boolean;
  load(): Promise<void>;
  /** Changes an item where it stands. */
  change(id: Int64, change: Partial<Item>): void;
  /** The ids of items that have changed since the page was loaded. */
  readonly changed: ReadonlySet<string>;
  /** How many items were added since then, and are not on the page. */
  readonly news: number;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
  readonly changed: ReadonlySet<string>;
  readonly news: number;
}

interface Listed {
  readonly id: Int64;
  readonly status: string;
}

/** What events say of the items of a list. */
interface Report<Item> {
  readonly changed: readonly Item[];
  readonly added: readonly Item[];
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The page at a path, loaded again when the path changes.
 * @param report what events say of this list
 */
export function useList<Item extends Listed>(
  session: Session,
  path: string,
  report: (events: readonly StoreEvent[]) => Report<Item>,
): List<Item> {
  const [problem, setProblem] = useState<Exchange>();
  const { call } = session.service;
  const { onRefusedKey, feed } = session;
  const catchUp = feed?.catchUp;

  const ask = useCallback(
    async (signal: AbortSignal): Promise<Page<Item> | undefined> => {
      const exchange = await call({ method: "GET", path, headers: {} }, { signal });
      if (signal.aborted) return;
      const { response } = exchange;
      if (response?.status === 401) return void onRefusedKey();
      const items = response?.status === 200 ? itemsOf<Item>(response) : undefined;
      setProblem(items ? undefined : exchange);
      if (!response || !items) return;
      catchUp?.();
      return { items, next: nextOf(response), changed: NONE, news: 0 };
    },
    [call, path, onRefusedKey, catchUp],
  );
  const { value, isBusy, load, change } = useLoaded(ask, feed, (events) => {
    const { changed, added } = report(events);
    return (page) => withReport(page, changed, added);
  });
  const { items, next, changed = NONE, news = 0 } = value ?? {};
  return {
    items,
    next,
    changed,
    news,
    problem,
    isBusy,
    load,
    change: (id, changes) =>
      change((page) => ({
        ...page,
        items: page.items.map((item) => (String(item.id) === String(id) ? { ...item, ...changes } : item)),
      })),
  };
}

/** A page with its items as events report them, marked. What is not on the page is counted: nothing moves. */
function withReport<Item extends Listed>(
  page: Page<Item>,
  changed: readonly Item[],
  added: readonly Item[],
): Page<Item> {
  const byId = new Map(changed.map((item) => [String(item.id), item]));
  const here = new Set(page.items.map(({ id }) => String(id)));
  // An event of what is shown already changes nothing: the user's own change, or one that the page brought.
  const differing = page.items.filter(
    ({ id, status }) => (byId.get(String(id))?.status ?? status) !== status,
  );
  return {
    ...page,
    items: page.items.map((item) => byId.get(String(item.id)) ?? item),
    changed: page.changed.union(new Set(differing.map(({ id }) => String(id)))),
    news: page.news + added.filter(({ id }) => !here.has(String(id))).length,
  };
}
