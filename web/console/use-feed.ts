import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { StoreEvent } from "../../client/events.ts";
import { loadScript } from "../browser/load-script.ts";
import type { FeedState } from "./feed.ts";
import { OFFERS_EVENTS } from "./offers.ts";
import type { Service } from "./service.ts";
import type { shareFeed, TabListener } from "./shared-feed.ts";

/** How many changes the panel keeps. */
const LATEST_MAX = 50;

type EventListener = (events: readonly StoreEvent[]) => void;

/** What happens in the store, for the parts that show it. */
export interface Feed {
  readonly state: FeedState;
  /** Since when each change is reported, on the clock of `performance.now()`. */
  readonly began: number | undefined;
  /** Whether changes were missed since what is shown was loaded. */
  readonly hasMissed: boolean;
  /** What is shown was loaded again. */
  catchUp(): void;
  /** The latest first. */
  readonly latest: readonly StoreEvent[];
  /** @returns a function that stops listening */
  listen(listener: EventListener): () => void;
}

/** Follows the feed for as long as the component is there; `undefined` where the service offers none. */
export function useFeed(key: string, service: Service, onRefusedKey: () => void): Feed | undefined {
  const [state, setState] = useState<FeedState>({ kind: "connecting" });
  const [began, setBegan] = useState<number>();
  const [latest, setLatest] = useState<readonly StoreEvent[]>([]);
  const [hasMissed, setMissed] = useState(false);
  const listeners = useRef(new Set<EventListener>());
  const { record } = service;
  useEffect(() => {
    if (!OFFERS_EVENTS) return;
    const controller = new AbortController();
    const onEvents = (events: readonly StoreEvent[]) => {
      setLatest((before) => [...events.toReversed(), ...before].slice(0, LATEST_MAX));
      for (const listener of listeners.current) listener(events);
    };
    const listener: TabListener = {
      onState: setState,
      // A feed that begins once more has missed changes, which `onMissed` reports.
      onBegin: () => setBegan((before) => before ?? performance.now()),
      onMissed: () => setMissed(true),
      onEvents,
      onExchange: record,
      onRefusedKey,
    };
    // The stock is shown first: what follows the feed is a fifth of the script.
    void loadFeed(setState, controller.signal).then((feed) =>
      feed?.shareFeed(key, listener, controller.signal),
    );
    return () => controller.abort();
  }, [key, record, onRefusedKey]);
  const [listen] = useState(() => (listener: EventListener) => {
    listeners.current.add(listener);
    return () => void listeners.current.delete(listener);
  });
  const catchUp = useCallback(() => setMissed(false), []);
  return OFFERS_EVENTS ? { state, began, hasMissed, catchUp, latest, listen } : undefined;
}

/** A script of its own, which the page names. */
interface FeedScript {
  readonly shareFeed: typeof shareFeed;
}

/** Milliseconds before another attempt to load the script. */
const PAUSE_MS = 5_000;

/** Loads the script, again until it comes. @returns `undefined` if it is no longer wanted */
async function loadFeed(
  onState: (state: FeedState) => void,
  signal: AbortSignal,
): Promise<FeedScript | undefined> {
  while (!signal.aborted) {
    const script = await loadScript<FeedScript>("feed").catch(() => undefined);
    if (script) return signal.aborted ? undefined : script;
    onState({ kind: "reconnecting" });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}

/** Calls a function with the events of the feed. */
export function useFeedEvents(feed: Feed | undefined, onEvents: EventListener): void {
  const latest = useRef(onEvents);
  latest.current = onEvents;
  const listen = feed?.listen;
  useEffect(() => listen?.((events) => latest.current(events)), [listen]);
}
