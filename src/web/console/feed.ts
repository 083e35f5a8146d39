import { ServerSentEventParser } from "../../../client/server-sent-events.ts";
import { type Exchange, headerOf, openStream } from "../browser/call.ts";
import { refusalOf } from "../browser/refusal.ts";
import { parseExact } from "../model/exact-json.ts";
import type { Animal } from "./animal.ts";
import { type Int64, nextOf } from "./body.ts";
import type { Order } from "./order.ts";

/** A change, with the animal or the order as it was afterwards. */
export interface StoreEvent {
  readonly id: Int64;
  readonly type: string;
  readonly at: string;
  readonly animal?: Animal;
  readonly order?: Order;
}

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
  /** All events of one piece of the stream. */
  readonly onEvents: (events: readonly StoreEvent[]) => void;
  /** A connection was made or refused. */
  readonly onExchange: (exchange: Exchange) => void;
  readonly onRefusedKey: () => void;
}

/** The service sends something every 15 s. */
const SILENCE_MAX_MS = 45_000;
const PAUSE_MIN_MS = 1000;
const PAUSE_MAX_MS = 30_000;

/** Where the feed continues: at a link of the service, after the last event received. */
interface Position {
  readonly path: string;
  lastId: string;
}

/**
 * Follows what happens from now on, until `signal` aborts or the service refuses the key. It connects again by itself, and
 * resumes after the last event that it got. The key is in a header: in an address it would end up in logs.
 */
export async function followFeed(key: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let position: Position | undefined;
  listener.onState({ kind: "connecting" });
  for (let failures = 0; !signal.aborted; failures++) {
    const connection = new Connection(signal);
    const { exchange, stream } = await connection.open(key, position);
    if (!stream) connection.close();
    if (signal.aborted) return;
    listener.onExchange(exchange);
    const { response } = exchange;
    if (response?.status === 401) return listener.onRefusedKey();
    if (response?.status === 403 || response?.status === 404) {
      return listener.onState({ kind: "refused", message: refusalOf(response).message });
    }
    if (position && (response?.status === 410 || response?.status === 400)) {
      // Events after this position have expired, or it is another store's: the feed continues from now.
      listener.onMissed();
      position = undefined;
    } else if (!position && response?.status === 200) {
      const path = nextOf(response);
      if (path !== undefined) {
        listener.onBegin();
        position = { path, lastId: "" };
        continue;
      }
    } else if (position && stream) {
      failures = 0;
      listener.onState({ kind: "connected" });
      position.lastId = await connection.read(stream, position.lastId, listener.onEvents);
    }
    connection.close();
    if (signal.aborted) return;
    listener.onState({ kind: "reconnecting" });
    const retryAfterMs = 1000 * Number((response && headerOf(response, "retry-after")) ?? 0);
    await pause(Math.max(retryAfterMs, Math.min(PAUSE_MIN_MS * 2 ** failures, PAUSE_MAX_MS)), signal);
  }
}

/** One connection. It ends if nothing arrives for too long, for example after a laptop wakes up in another network. */
class Connection {
  readonly #controller = new AbortController();
  readonly #signal: AbortSignal;
  readonly #abort = () => this.#controller.abort();
  #timer = setTimeout(this.#abort, SILENCE_MAX_MS);

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort);
    // Without a network, a connection fails only once something is sent.
    addEventListener("offline", this.#abort);
  }

  /** Asks for the stream at a position; without one, for the page that says where "now" is. */
  async open(
    key: string,
    position: Position | undefined,
  ): Promise<{ exchange: Exchange; stream: ReadableStream<Uint8Array> | undefined }> {
    let stream: ReadableStream<Uint8Array> | undefined;
    const receive = (received: ReadableStream<Uint8Array>) => {
      stream = received;
    };
    const headers = position
      ? { Accept: "text/event-stream", ...(position.lastId && { "Last-Event-ID": position.lastId }) }
      : { Accept: "application/json" };
    // Beside an event's id the link has no effect, and another store may refuse it.
    const path = position?.lastId ? "/events" : (position?.path ?? "/events?from=latest&limit=1");
    const call = { method: "GET", path, headers };
    const exchange = await openStream(call, key, receive, this.#controller.signal);
    return { exchange, stream };
  }

  /** Reads to the end, and returns where to resume. */
  async read(
    stream: ReadableStream<Uint8Array>,
    lastId: string,
    onEvents: (events: readonly StoreEvent[]) => void,
  ): Promise<string> {
    const parser = new ServerSentEventParser(lastId);
    const decoder = new TextDecoder();
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(this.#abort, SILENCE_MAX_MS);
        const events = [...parser.push(decoder.decode(value, { stream: true }))];
        if (events.length > 0) onEvents(events.map((event) => parseExact(event) as StoreEvent));
      }
    } catch {
      // The connection was lost, or sent something other than events: the next one resumes.
    }
    return parser.lastId;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#abort);
    removeEventListener("offline", this.#abort);
    this.#abort();
  }
}

/** Waits, but no longer than until the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
