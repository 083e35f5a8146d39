import { AnimalStore } from "../../client/animal-store.ts";
import { ServiceError } from "../../client/errors.ts";
import type { StoreEvent } from "../../client/events.ts";
import { sleep } from "../../client/within.ts";
import { BASE } from "../browser/base.ts";
import { type Exchange, recordingFetch } from "../browser/call.ts";
import { answeredElsewhere } from "../browser/refusal.ts";

export type FeedState =
  | { readonly kind: "connecting" | "connected" | "reconnecting" }
  /** This key may not read the feed; the message is the service's. */
  | { readonly kind: "refused"; readonly message: string };

/** How far a reader of the feed has come. */
export interface FeedPosition {
  /** The address of the events after the latest one when the feed began. */
  begin?: string | undefined;
  /** The id of the last event. */
  since?: bigint | undefined;
}

export interface FeedListener {
  readonly onState: (state: FeedState) => void;
  /** From now on no change is missed. */
  readonly onBegin: () => void;
  /** Changes were missed: the service no longer keeps them, so what is shown may be out of date. */
  readonly onMissed: () => void;
  readonly onEvent: (event: StoreEvent) => void;
  /** The service answered a request. */
  readonly onExchange: (exchange: Exchange) => void;
  readonly onRefusedKey: () => void;
}

/** Before a new attempt after a failure that the client does not retry, such as a 500 or expired events. */
const PAUSE_MS = 5_000;
const UNBOUNDED = Number.POSITIVE_INFINITY;

/**
 * Follows what happens after a position, or from now on, until `signal` aborts or the service refuses the key.
 *
 * @param position is kept up to date, so that another reader can continue from it
 */
export async function followFeed(
  key: string,
  listener: FeedListener,
  signal: AbortSignal,
  position: FeedPosition,
): Promise<void> {
  const { events } = clientFor(key, listener);
  let hasMissed = false;
  if (position.begin === undefined) listener.onState({ kind: "connecting" });
  while (!signal.aborted) {
    try {
      if (position.begin === undefined) {
        position.begin = (await events.list({ from: "latest", limit: 1 }, { signal }).firstPage()).next;
        if (position.begin === undefined) throw new Error("The page of the latest event has no link.");
        listener.onBegin();
        if (hasMissed) listener.onMissed();
      }
      const { begin, since } = position;
      const stream =
        since === undefined ? events.streamFrom(begin, { signal }) : events.stream({ since }, { signal });
      for await (const event of stream) {
        position.since = event.id;
        listener.onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      const { status } = error as Partial<ServiceError>;
      if (status === 401) return listener.onRefusedKey();
      if (status === 403 || status === 404) {
        const message = error instanceof ServiceError ? error.message : answeredElsewhere(status);
        return listener.onState({ kind: "refused", message });
      }
      if (position.begin !== undefined && (status === 410 || status === 400)) {
        // Events after this position have expired, or it is another store's: the feed continues from now.
        hasMissed = true;
        position.begin = position.since = undefined;
      }
      listener.onState({ kind: "reconnecting" });
      await sleep(PAUSE_MS, signal).catch(() => {});
    }
  }
}

/** A client that repeats for ever what a repetition may repair. */
function clientFor(key: string, listener: FeedListener): AnimalStore {
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
