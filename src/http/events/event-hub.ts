import type { EventPage } from "../../domain/change-event.ts";
import type { EventSink } from "../../domain/event.ts";
import type { RequestObserver, StreamCounts, StreamEnd } from "../../domain/observation.ts";
import { LIMIT_MAX } from "../../domain/page.ts";
import type { Store } from "../../domain/store.ts";
import { endOf } from "../../operations/list-events.ts";
import type { Subscription } from "../../operations/operation.ts";
import { EventStream } from "./event-stream.ts";
import { eventText } from "./event-text.ts";
import { FeedFailures } from "./feed-failures.ts";
import type { Listener } from "./listener.ts";
import { Listeners } from "./listeners.ts";
import { LiveFeed } from "./live-feed.ts";
import { TurnQueue } from "./turn-queue.ts";

/** How often the hub looks for news, in milliseconds: in memory, or by asking a server. */
const LOOK_AT_HAND_MS = 10;
const LOOK_ELSEWHERE_MS = 50;
/** Pauses of a stream that has read everything, and yet less than the live streams have. */
const BEHIND_MIN_MS = 10;
const BEHIND_MAX_MS = 1000;
/** The heartbeats of all streams are spread over this many moments. */
const HEARTBEAT_SLOTS = 15;

interface HubOptions {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Streams that may be open at once in this process. */
  readonly streamsMax: number;
  /** How often each stream gets a comment. */
  readonly heartbeatMs: number;
  readonly emit: EventSink;
  readonly observer: RequestObserver | undefined;
}

/**
 * The streams of this process. A stream that begins behind the others catches up by itself; from then on it is live, and
 * gets the events that are read once for all live streams.
 */
export class EventHub {
  readonly #options: HubOptions;
  readonly #listeners = new Listeners();
  readonly #turns = new TurnQueue();
  readonly #failures: FeedFailures;
  readonly #live: LiveFeed;
  #isClosed = false;
  #look: Timer | undefined;
  #heartbeat: Timer | undefined;
  #beats = 0;
  #slots = 0;
  /** Events that were sent to streams that have ended. */
  #sent = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#failures = new FeedFailures(options.emit);
    const { store, clock } = options;
    this.#live = new LiveFeed({
      store,
      clock,
      listeners: this.#listeners,
      turns: this.#turns,
      failures: this.#failures,
    });
  }

  /** Open streams. The runtime counts each as a request in progress. */
  get count(): number {
    return this.#listeners.count;
  }

  get counts(): StreamCounts {
    let eventsSent = this.#sent;
    for (const { sent } of this.#listeners) eventsSent += sent;
    return { open: this.count, eventsSent };
  }

  /** Why no other stream may be opened, if none may. */
  get refusal(): "overloaded" | "stopping" | undefined {
    if (this.#isClosed) return "stopping";
    return this.count >= this.#options.streamsMax ? "overloaded" : undefined;
  }

  /** Opens a stream, which begins with the page of its subscription. */
  open({ types, page }: Subscription, listener: Listener): ReadableStream<Uint8Array> {
    const heartbeatSlot = this.#slots++ % HEARTBEAT_SLOTS;
    const stream = new EventStream({ types, listener, owner: this, heartbeatSlot });
    this.#listeners.add(stream);
    // The key may have been looked up before the last read, so the next one checks it.
    this.#live.expectNews();
    this.#start();
    try {
      this.#deliver(stream, page);
      stream.sendFirstPosition();
    } catch (error) {
      stream.end("failed");
      throw error;
    }
    return stream.body;
  }

  /** Looks for news soon: this process has just committed a change. */
  wake(): void {
    if (this.#look) this.#live.wake();
  }

  /** Ends all streams; their clients connect again. */
  endAll(end: StreamEnd): void {
    this.#listeners.endAll(end);
  }

  /** Ends all streams and opens no more. */
  close(): void {
    this.#isClosed = true;
    this.endAll("stopping");
  }

  #start(): void {
    if (this.#look) return;
    const { store, heartbeatMs } = this.#options;
    const isAtHand = store.revisionAtHand() !== undefined;
    this.#live.restart();
    this.#look = setInterval(() => void this.#live.look(), isAtHand ? LOOK_AT_HAND_MS : LOOK_ELSEWHERE_MS);
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs / HEARTBEAT_SLOTS);
  }

  /** Called by a stream that has ended. */
  forget(stream: EventStream, end: StreamEnd): void {
    const { sent, openedAt, listener } = stream;
    this.#listeners.delete(stream);
    this.#sent += sent;
    this.#options.observer?.streamEnded?.({
      requestId: listener.requestId,
      keyId: listener.key.id,
      end,
      eventsSent: sent,
      seconds: (performance.now() - openedAt) / 1000,
    });
    if (this.count > 0) return;
    clearInterval(this.#look);
    clearInterval(this.#heartbeat);
    this.#look = undefined;
    this.#heartbeat = undefined;
  }

  /** Sends the heartbeats that are due, to a part of the streams at a time, and ends the streams of expired keys. */
  #beat(): void {
    const slot = this.#beats++ % HEARTBEAT_SLOTS;
    for (const stream of [...this.#listeners]) if (stream.heartbeatSlot === slot) stream.sendHeartbeat();
    this.#listeners.endExpired(this.#options.clock());
  }

  /** Reads on for a stream that is behind the live ones, until something was sent. */
  async catchUp(stream: EventStream): Promise<void> {
    const { store } = this.#options;
    try {
      for (let pause = BEHIND_MIN_MS; ; pause = Math.min(2 * pause, BEHIND_MAX_MS)) {
        await this.#turns.next();
        if (stream.isLive || stream.hasEnded) return;
        const { types, position: after } = stream;
        const page = await store.listEvents({ types, after, limit: LIMIT_MAX });
        if (page === "expired") return stream.end("expired");
        if (this.#deliver(stream, page) || stream.isLive) return;
        // This read was the older one, or a server took over that lacks events: then the next look ends the streams.
        await Bun.sleep(pause);
      }
    } catch (error) {
      if (this.count > 0) this.#failures.report(error);
      // Its client connects again, and gets the failure as a response.
      stream.end("failed");
    }
  }

  /** Sends a page that was read for one stream, which is live once nothing follows; whether it had events to send. */
  #deliver(stream: EventStream, page: EventPage): boolean {
    // Its client may have left while the page was read.
    if (stream.hasEnded) return false;
    const end = endOf(page);
    const text = eventText(page.items, stream.types);
    stream.send(text, end);
    stream.isLive = !page.more && this.#live.join(end);
    return text.count > 0;
  }
}
