import { AnimalStore } from "../../client/animal-store.ts";
import { ServiceError } from "../../client/errors.ts";
import type { StoreEvent } from "../../client/events.ts";
import { sleep } from "../../client/within.ts";
import { BASE, type Exchange, recordingFetch } from "../browser/call.ts";
import { answeredElsewhere } from "../browser/refusal.ts";

export type FeedState =
  | { readonly kind: "connecting" | "connected" | "reconnecting" }
  /** The service refuses this key the feed, in its words. */
  | { readonly kind: "refused"; readonly message: string };

interface Listener {
  readonly onState: (state: FeedState) => void;
  /** From now on no change is missed. */
  readonly onBegin: () => void;
  /** Changes were missed: the service no longer keeps them, so what is shown may be out of date. */
  readonly onMissed: () => void;
  /** All events that arrived together. */
  readonly onEvents: (events: readonly StoreEvent[]) => void;
  /** The service answered a request. */
  readonly onExchange: (exchange: Exchange) => void;
  readonly onRefusedKey: () => void;
}

/** Before a new attempt after a failure that the client does not retry, such as a 500 or expired events. */
const PAUSE_MS = 5_000;
const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Follows what happens from now on, until `signal` aborts or the service refuses the key. */
export async function followFeed(key: string, listener: Listener, signal: AbortSignal): Promise<void> {
  const { events } = clientFor(key, listener);
  const onEvent = gathered(listener.onEvents, signal);
  /** The address of the events after the latest one when the feed began. */
  let begin: string | undefined;
  /** The id of the last event. */
  let since: bigint | undefined;
  let hasMissed = false;
  listener.onState({ kind: "connecting" });
  while (!signal.aborted) {
    try {
      if (begin === undefined) {
        begin = (await events.list({ from: "latest", limit: 1 }, { signal }).firstPage()).next;
        if (begin === undefined) throw new Error("The page of the latest event has no link.");
        listener.onBegin();
        if (hasMissed) listener.onMissed();
      }
      const stream =
        since === undefined ? events.streamFrom(begin, { signal }) : events.stream({ since }, { signal });
      for await (const event of stream) {
        since = event.id;
        onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      const { status } = error as Partial<ServiceError>;
      if (status === 401) return listener.onRefusedKey();
      if (status === 403 || status === 404) {
        const message = error instanceof ServiceError ? error.message : answeredElsewhere(status);
        return listener.onState({ kind: "refused", message });
      }
      if (begin !== undefined && (status === 410 || status === 400)) {
        // Events after this position have expired, or it is another store's: the feed continues from now.
        hasMissed = true;
        begin = since = undefined;
      }
      listener.onState({ kind: "reconnecting" });
      await sleep(PAUSE_MS, signal).catch(() => {});
    }
  }
}

/** A client that retries without end whatever a retry may cure. */
function clientFor(key: string, listener: Listener): AnimalStore {
  return new AnimalStore({
    baseUrl: BASE,
    apiKey: key,
    deadlineMs: UNBOUNDED,
    fetch: recordingFetch(listener.onExchange),
    onRetry: () => listener.onState({ kind: "reconnecting" }),
    onResponse: ({ status, headers }) => {
      const isStream = headers.get("content-type")?.startsWith("text/event-stream");
      if (status === 200 && isStream) listener.onState({ kind: "connected" });
    },
  });
}

/** Gathers single events that arrive together, so that they are drawn once. */
function gathered(onEvents: Listener["onEvents"], signal: AbortSignal): (event: StoreEvent) => void {
  let waiting: StoreEvent[] = [];
  return (event) => {
    if (waiting.push(event) > 1) return;
    setTimeout(() => {
      const events = waiting;
      waiting = [];
      if (!signal.aborted) onEvents(events);
    });
  };
}
