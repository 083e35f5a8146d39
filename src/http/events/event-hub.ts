import { endOf } from "../../domain/change-event.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Store } from "../../domain/store.ts";
import type { Feed } from "../../feed/feed.ts";
import { FeedReader } from "../../feed/feed-reader.ts";
import type { RequestObserver, StreamEnd } from "../../observations/request-observer.ts";
import type { Subscription } from "../../operations/operation.ts";
import { EventStream } from "./event-stream.ts";
import type { Listener } from "./listener.ts";
import { StreamKeys } from "./stream-keys.ts";

/** The heartbeats of all streams are spread over this many moments. */
const HEARTBEAT_SLOTS = 15;

interface HubOptions {
  readonly feed: Feed;
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Streams that may be open at once in this process. */
  readonly streamsMax: number;
  /** How often each stream gets a comment. */
  readonly heartbeatMs: number;
  readonly observer: RequestObserver | undefined;
}

/** The streams of this process: it opens them, keeps them alive, and ends those whose keys have ended. */
export class EventHub {
  readonly #options: HubOptions;
  readonly #streams = new Set<EventStream>();
  /** The open streams, each of which the runtime counts as a request in progress. */
  readonly streams: ReadonlySet<EventStream> = this.#streams;
  /** The events sent to all streams so far. */
  eventsSent = 0;
  readonly #keys: StreamKeys;
  #isClosed = false;
  #heartbeat: Timer | undefined;
  #beats = 0;
  #slots = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#keys = new StreamKeys(options.store);
  }

  /** Why no other stream may be opened, if none may. */
  get refusal(): "overloaded" | "stopping" | undefined {
    if (this.#isClosed) return "stopping";
    return this.#streams.size >= this.#options.streamsMax ? "overloaded" : undefined;
  }

  /** Opens a stream, which begins with the page of its subscription. */
  open({ types, page }: Subscription, listener: Listener): ReadableStream<Uint8Array> {
    const { feed, heartbeatMs } = this.#options;
    const { more } = page;
    const reader = new FeedReader(feed, { types, position: endOf(page), more, asOf: listener.asOf });
    const heartbeatSlot = this.#slots++ % HEARTBEAT_SLOTS;
    const stream = new EventStream({ reader, listener, owner: this, heartbeatSlot });
    this.#streams.add(stream);
    this.#keys.add(listener);
    this.#heartbeat ??= setInterval(() => this.#beat(), heartbeatMs / HEARTBEAT_SLOTS);
    try {
      stream.begin(page.items);
    } catch (error) {
      stream.end("failed");
      throw error;
    }
    return stream.body;
  }

  /** Ends all streams; their clients connect again. */
  endAll(end: StreamEnd): void {
    for (const stream of [...this.#streams]) stream.end(end);
  }

  /** Ends all streams and opens no more. */
  close(): void {
    this.#isClosed = true;
    this.endAll("stopping");
  }

  isAllowed({ listener, reader }: EventStream): MaybePromise<boolean> {
    return this.#keys.isValid(listener, reader.asOf, this.#options.clock());
  }

  report(error: unknown): void {
    if (this.#streams.size > 0) this.#options.feed.failures.report(error);
  }

  /** Called by a stream that has ended. */
  forget(stream: EventStream, end: StreamEnd): void {
    const { sent, openedAt, listener } = stream;
    this.#streams.delete(stream);
    this.#keys.delete(listener);
    this.#options.observer?.streamEnded?.({
      requestId: listener.requestId,
      keyId: listener.key.id,
      end,
      eventsSent: sent,
      seconds: (performance.now() - openedAt) / 1000,
    });
    if (this.#streams.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** Sends the heartbeats that are due, to a part of the streams at a time, and ends the streams of expired keys. */
  #beat(): void {
    const slot = this.#beats++ % HEARTBEAT_SLOTS;
    const now = this.#options.clock();
    for (const stream of [...this.#streams]) {
      if (this.#keys.hasExpired(stream.listener, now)) stream.end("key_ended");
      else if (stream.heartbeatSlot === slot) stream.sendHeartbeat();
    }
  }
}
