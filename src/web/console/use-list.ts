import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Exchange } from "../browser/call.ts";
import { type Int64, itemsOf, nextOf } from "./body.ts";
import type { Session } from "./session.ts";

/** A page of a list of the service, or why it cannot be shown. */
export interface List<Item> {
  /** `undefined` until the first page has come. */
  readonly items: readonly Item[] | undefined;
  /** The service's link to the next page. */
  readonly next: string | undefined;
  readonly problem: Exchange | undefined;
  readonly isBusy: boolean;
  load(): Promise<void>;
  /** Changes the item with an id where it stands. */
  change(id: Int64, change: Partial<Item>): void;
  /** Changes items where they stand, as the feed reports them, and marks them; counts those that are not on the page. */
  report(changed: readonly Item[], added: readonly Item[]): void;
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

const NONE: ReadonlySet<string> = new Set();

/** The page at a path, loaded again when the path changes. */
export function useList<Item extends { readonly id: Int64 }>(session: Session, path: string): List<Item> {
  const [page, setPage] = useState<Page<Item>>();
  const [problem, setProblem] = useState<Exchange>();
  const [isBusy, setBusy] = useState(true);
  const running = useRef<AbortController>(undefined);
  const { call } = session.service;
  const { onRefusedKey, feed } = session;
  const catchUp = feed?.catchUp;

  const load = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    const exchange = await call({ method: "GET", path, headers: {} }, controller);
    if (controller.signal.aborted) return;
    setBusy(false);
    const { response } = exchange;
    if (response?.status === 401) return onRefusedKey();
    const items = response?.status === 200 ? itemsOf<Item>(response) : undefined;
    if (!response || !items) return setProblem(exchange);
    setProblem(undefined);
    catchUp?.();
    setPage({ items, next: nextOf(response), changed: new Set(), news: 0 });
  }, [call, path, onRefusedKey, catchUp]);
  useEffect(() => {
    void load();
    return () => running.current?.abort();
  }, [load]);

  const change = useCallback((id: Int64, changes: Partial<Item>) => {
    setPage(
      (before) =>
        before && {
          ...before,
          items: before.items.map((item) =>
            String(item.id) === String(id) ? { ...item, ...changes } : item,
          ),
        },
    );
  }, []);
  const report = useCallback((changed: readonly Item[], added: readonly Item[]) => {
    setPage((before) => {
      if (!before) return before;
      const byId = new Map(changed.map((item) => [String(item.id), item]));
      const items = before.items.map((item) => byId.get(String(item.id)) ?? item);
      const here = new Set(items.map(({ id }) => String(id)));
      return {
        ...before,
        items,
        changed: before.changed.union(here.intersection(byId)),
        news: before.news + added.filter(({ id }) => !here.has(String(id))).length,
      };
    });
  }, []);
  const { items, next, changed = NONE, news = 0 } = page ?? {};
  return { items, next, changed, news, problem, isBusy, load, change, report };
}
