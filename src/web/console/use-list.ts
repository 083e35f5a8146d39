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
  /** Changes the items with an id where they stand. */
  change(id: Int64, change: Partial<Item>): void;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
}

/** The page at a path, loaded again when the path changes. */
export function useList<Item extends { readonly id: Int64 }>(session: Session, path: string): List<Item> {
  const [page, setPage] = useState<Page<Item>>();
  const [problem, setProblem] = useState<Exchange>();
  const [isBusy, setBusy] = useState(true);
  const running = useRef<AbortController>(undefined);
  const { call } = session.service;
  const { onRefusedKey } = session;

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
    setPage({ items, next: nextOf(response) });
  }, [call, path, onRefusedKey]);
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
  return { items: page?.items, next: page?.next, problem, isBusy, load, change };
}
