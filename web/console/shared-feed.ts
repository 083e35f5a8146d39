import type { StoreEvent } from "../../client/events.ts";
import { aborted, shownAgain, untilHidden } from "../browser/page-life.ts";
import { type FeedListener, type FeedPosition, type FeedState, followFeed } from "./feed.ts";

/** What a tab hears of the feed: events that arrive together are handed over together, so that they are drawn once. */
export interface TabListener extends Omit<FeedListener, "onEvent"> {
  readonly onEvents: (events: readonly StoreEvent[]) => void;
}

/**
 * Follows the feed for this tab, until `signal` aborts or the service refuses the key.
 *
 * A browser opens six connections to a host (HTTP/1.1), and each stream takes one for good. So of all tabs with one key
 * a single tab follows the feed and tells the others; when it goes, the next one continues from the last event. A page
 * in the back/forward cache lets go, too.
 */
export async function shareFeed(key: string, tab: TabListener, signal: AbortSignal): Promise<void> {
  const listener: FeedListener = { ...tab, onEvent: gathered(tab.onEvents, signal) };
  const position: FeedPosition = {};
  // Both need a secure context; a console at a plain address of a network follows the feed by itself.
  const name = globalThis.navigator?.locks && (await channelName(key));
  while (!signal.aborted) {
    const shown = untilHidden(signal);
    await (name
      ? takePart(name, key, listener, shown, position)
      : followFeed(key, listener, shown, position).then(() => aborted(shown)));
    await shownAgain(signal);
  }
}

/** What the tab that follows the feed tells the others. */
type Message =
  | { readonly kind: "state"; readonly state: FeedState }
  | { readonly kind: "begin"; readonly position: FeedPosition }
  | { readonly kind: "event"; readonly event: StoreEvent }
  | { readonly kind: "missed" | "refused-key" }
  /** A tab asks for the state of things, and the leader tells it. */
  | { readonly kind: "join" }
  | { readonly kind: "welcome"; readonly state: FeedState; readonly position: FeedPosition };

/** Listens to the tab that leads, or leads, until `signal` aborts. */
async function takePart(
  name: string,
  key: string,
  listener: FeedListener,
  signal: AbortSignal,
  position: FeedPosition,
): Promise<void> {
  const channel = new BroadcastChannel(name);
  const tell = (message: Message) => channel.postMessage(message);
  let state: FeedState = { kind: "connecting" };
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (!leads) hear(data, listener, position);
    else if (data.kind === "join") tell({ kind: "welcome", state, position });
  };
  tell({ kind: "join" });
  const lead = async () => {
    leads = true;
    const toAll: FeedListener = {
      onState: (now) => {
        state = now;
        tell({ kind: "state", state });
        listener.onState(state);
      },
      onBegin: () => {
        tell({ kind: "begin", position });
        listener.onBegin();
      },
      onMissed: () => {
        tell({ kind: "missed" });
        listener.onMissed();
      },
      onEvent: (event) => {
        tell({ kind: "event", event });
        listener.onEvent(event);
      },
      onRefusedKey: () => {
        tell({ kind: "refused-key" });
        listener.onRefusedKey();
      },
      onExchange: listener.onExchange,
    };
    await followFeed(key, toAll, signal, position);
    // A key that may not read the feed is refused once, not by each tab in turn.
    await aborted(signal);
  };
  try {
    await navigator.locks.request(name, { signal }, lead);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}

/** What a tab makes of a message of the leader. */
function hear(message: Message, listener: FeedListener, position: FeedPosition): void {
  if (message.kind === "state") listener.onState(message.state);
  else if (message.kind === "missed") listener.onMissed();
  else if (message.kind === "refused-key") listener.onRefusedKey();
  else if (message.kind === "event") {
    // The next leader repeats an event if it took over before it had heard of it.
    if (position.since !== undefined && message.event.id <= position.since) return;
    position.since = message.event.id;
    listener.onEvent(message.event);
  } else if (message.kind === "begin") {
    Object.assign(position, { since: undefined }, message.position);
    listener.onBegin();
  } else if (message.kind === "welcome") {
    const { state, position: leaders } = message;
    listener.onState(state);
    if (leaders.begin === undefined) return;
    // Other tabs went on while this page was in the back/forward cache.
    if (position.begin !== undefined && position.since !== leaders.since) listener.onMissed();
    Object.assign(position, { since: undefined }, leaders);
    listener.onBegin();
  }
}

/** The same for tabs with the same key only; the key cannot be read from it. */
async function channelName(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return `animal-store.feed.${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

/** Gathers single events that arrive together. */
function gathered(onEvents: TabListener["onEvents"], signal: AbortSignal): (event: StoreEvent) => void {
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
