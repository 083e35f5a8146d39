import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { StoreEvent } from "../../client/events.ts";
import { onStale } from "./stale.ts";
import { type Feed, useFeedEvents } from "./use-feed.ts";

type Change<Value> = (before: Value) => Value;

interface Loaded<Value> {
  /** `undefined` until the first load has succeeded. */
  readonly value: Value | undefined;
  readonly isBusy: boolean;
  load(): Promise<void>;
  /**
   * Applies the user's own change. A load that is running may have read the state before it, so it starts again, and one
   * that failed has left nothing to change.
   */
  change(change: Change<Value>): void;
}

/** A load that is running. */
interface Running<Value> {
  readonly controller: AbortController;
  /** The changes by events since it began. */
  readonly meanwhile: Change<Value>[];
}

/**
 * Data of the service, kept up to date by the feed. No event is lost: an event that arrives during a load is applied
 * to the loaded data, and data that was requested before the feed began is loaded once more. So is data that is said to be stale.
 *
 * @param ask loads the data, or `undefined` if there is nothing to show. It is called at once, and again when it changes
 * @param onEvents turns events of the feed into a change of the data
 */
export function useLoaded<Value>(
  ask: (signal: AbortSignal) => Promise<Value | undefined>,
  feed: Feed | undefined,
  onEvents: (events: readonly StoreEvent[]) => Change<Value>,
): Loaded<Value> {
  const [loaded, setLoaded] = useState<{ readonly value: Value; readonly askedAt: number }>();
  const [isBusy, setBusy] = useState(true);
  const running = useRef<Running<Value>>(undefined);
  /** Whether the last load failed. The next one is then the user's, or due at a time of its own. */
  const failed = useRef(false);

  const reload = useCallback(async (): Promise<void> => {
    running.current?.controller.abort();
    const own: Running<Value> = { controller: new AbortController(), meanwhile: [] };
    running.current = own;
    const askedAt = performance.now();
    const value = await ask(own.controller.signal);
    if (running.current !== own) return;
    running.current = undefined;
    setBusy(false);
    failed.current = value === undefined;
    if (value === undefined) return;
    setLoaded({ value: own.meanwhile.reduce<Value>((before, change) => change(before), value), askedAt });
  }, [ask]);
  const load = useCallback(() => {
    setBusy(true);
    return reload();
  }, [reload]);
  useEffect(() => {
    void load();
    return () => {
      running.current?.controller.abort();
      running.current = undefined;
    };
  }, [load]);
  useEffect(() => onStale(load), [load]);
  const began = feed?.began;
  useEffect(() => {
    const isOlder = loaded !== undefined && began !== undefined && loaded.askedAt < began;
    if (isOlder && !running.current && !failed.current) void reload();
  }, [loaded, began, reload]);

  const apply = (change: Change<Value>) =>
    setLoaded((before) => before && { ...before, value: change(before.value) });
  useFeedEvents(feed, (events) => {
    const change = onEvents(events);
    running.current?.meanwhile.push(change);
    apply(change);
  });
  const change = useCallback(
    (change: Change<Value>) => {
      apply(change);
      if (running.current || failed.current) void reload();
    },
    [reload],
  );
  return { value: loaded?.value, isBusy, load, change };
}
