import type { ApiKey } from "../../domain/api-key.ts";
import { type ChangeEvent, EVENT_TYPES, type EventPage, type EventType } from "../../domain/change-event.ts";
import type { EventSink } from "../../domain/event.ts";
import { StoreFailure } from "../../domain/failure.ts";
import { holdsUnder, type Revision } from "../../domain/revision.ts";
import type { Store } from "../../domain/store.ts";
import { endOf } from "../../operations/list-events.ts";
import type { Subscription } from "../../operations/operation.ts";
import { EventStream } from "./event-stream.ts";
import { eventText } from "./event-text.ts";
import type { Listener } from "./listener.ts";
import { Listeners } from "./listeners.ts";

/** How often the hub looks for news, in milliseconds, where a look reads memory, and where it asks a server. */
const LOOK_AT_HAND_MS = 10;
const LOOK_ELSEWHERE_MS = 50;
/** After a failure of the store the hub waits this long. */
const RETRY_MS = 1000;
/** Events in one read. */
const BATCH_MAX = 100;
/** Streams that get a batch before requests have their turn. */
const SLICE = 250;
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
}

/**
 * Reads the feed once for all streams of this process. A stream that begins behind the others catches up by itself; from
 * then on it gets the batches that the hub reads.
 */
export class EventHub {
  readonly #options: HubOptions;
  readonly #listeners = new Listeners();
  /** The hub has read all events up to here; `undefined` until a stream is live. */
  #position: bigint | undefined;
  /** The revision of the last read that found nothing more. */
  #readAsOf: Revision | undefined;
  /** The epoch of the last read: events of another epoch cannot continue those that were sent. */
  #epoch: number | undefined;
  #isReading = false;
  /** Whether this process has committed a change since the last read began. */
  #isWoken = false;
  #isClosed = false;
  #look: Timer | undefined;
  #heartbeat: Timer | undefined;
  #retryAt = 0;
  /** The causes that were reported since the feed was last read. */
  readonly #reported = new Set<string>();
  #beats = 0;
  #slots = 0;
  /** When the last read that was asked for by `nextTurn` may begin. */
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(options: HubOptions) {
    this.#options = options;
  }

  /** Open streams. The runtime counts each as a request in progress. */
  get count(): number {
    return this.#listeners.count;
  }

  /** Whether another stream may be opened. */
  get refusal(): "overloaded" | "stopping" | undefined {
    if (this.#isClosed) return "stopping";
    return this.count >= this.#options.streamsMax ? "overloaded" : undefined;
  }

  /**
   * Opens a stream.
   *
   * @param abandon has the connection closed, though its client does not read
   */
  open({ types, page }: Subscription, listener: Listener, abandon: () => void): ReadableStream<Uint8Array> {
    const heartbeatSlot = this.#slots++ % HEARTBEAT_SLOTS;
    const stream = new EventStream({ types, listener, owner: this, abandon, heartbeatSlot });
    this.#listeners.add(stream);
    // The key may have been looked up before the hub's last read, so the next read checks it.
    this.#readAsOf = undefined;
    this.#start();
    try {
      this.#deliver(stream, page);
    } catch (error) {
      stream.end();
      throw error;
    }
    return stream.body;
  }

  /** Looks for news soon: this process has just committed a change. */
  wake(): void {
    if (!this.#look || this.#isWoken) return;
    this.#isWoken = true;
    setImmediate(() => void this.#lookForNews());
  }

  /** Ends all streams; their clients connect again. */
  endAll(): void {
    for (const stream of [...this.#listeners]) stream.end();
  }

  /** Ends all streams and opens no more. */
  close(): void {
    this.#isClosed = true;
    this.endAll();
  }

  #start(): void {
    if (this.#look) return;
    this.#position = undefined;
    this.#epoch = undefined;
    const isAtHand = this.#options.store.revisionAtHand() !== undefined;
    this.#look = setInterval(() => void this.#lookForNews(), isAtHand ? LOOK_AT_HAND_MS : LOOK_ELSEWHERE_MS);
    this.#heartbeat = setInterval(() => this.#beat(), this.#options.heartbeatMs / HEARTBEAT_SLOTS);
  }

  /** Called by a stream that has ended. */
  forget(stream: EventStream): void {
    this.#listeners.delete(stream);
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

  /** Reads on for a stream that is behind the hub. */
  async catchUp(stream: EventStream): Promise<void> {
    const { store } = this.#options;
    try {
      // A read that sends nothing is followed by another one: nothing else asks for it.
      for (let sent = 0; sent === 0; ) {
        await this.#nextTurn();
        if (stream.isLive || stream.hasEnded) return;
        const page = await store.listEvents({
          types: stream.types,
          after: stream.position,
          limit: BATCH_MAX,
        });
        if (page === "expired") stream.end();
        else sent = this.#deliver(stream, page);
      }
    } catch (error) {
      this.#report(error);
      // Its client connects again, and gets the failure as a response.
      stream.end();
    }
  }

  /**
   * Waits for a turn of the event loop that no other read has: where reads need no waiting, streams that catch up would
   * keep requests waiting, each for as long as its client takes what it gets.
   */
  #nextTurn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)));
    return this.#lastTurn;
  }

  /** Sends a page that was read for one stream, which is live once nothing follows; returns how many bytes it took. */
  #deliver(stream: EventStream, page: EventPage): number {
    // Its client may have left while the page was read.
    if (stream.hasEnded) return 0;
    const end = endOf(page);
    const text = eventText(page.items, stream.types);
    stream.send(text, end);
    if (!page.more && (this.#position === undefined || end >= this.#position)) {
      stream.isLive = true;
      this.#position ??= end;
      // What the hub has read before may be older than this page.
      this.#readAsOf = undefined;
    }
    return text.length;
  }

  async #lookForNews(): Promise<void> {
    if (this.#isReading || performance.now() < this.#retryAt) return;
    this.#isReading = true;
    try {
      let more = true;
      while (more || this.#isWoken) {
        this.#isWoken = false;
        if (!this.#mayHaveNews()) break;
        more = await this.#read();
        this.#reported.clear();
        if (more) await this.#nextTurn();
      }
    } catch (error) {
      this.#report(error);
      this.#retryAt = performance.now() + RETRY_MS;
      // After a defect, events may have been read and not sent: no stream may go on behind them.
      if (!(error instanceof StoreFailure)) this.endAll();
    }
    this.#isReading = false;
  }

  /** Reports each cause once until the feed is read again, though every retry meets it. */
  #report(error: unknown): void {
    const cause = String(error);
    if (this.count === 0 || this.#reported.has(cause)) return;
    this.#reported.add(cause);
    this.#options.emit({ event: "feed_failed", error });
  }

  /** Without a revision at hand, only the store knows. */
  #mayHaveNews(): boolean {
    if (this.count === 0) return false;
    const revision = this.#options.store.revisionAtHand();
    const asOf = this.#readAsOf;
    return !revision || !asOf || !holdsUnder(asOf, revision, "append") || !holdsUnder(asOf, revision, "keys");
  }

  /** Reads a batch and sends it to the live streams; whether more follow. */
  async #read(): Promise<boolean> {
    const { store, clock } = this.#options;
    const after = this.#position;
    const query = { types: EVENT_TYPES, after, limit: BATCH_MAX };
    const asked = store.together((revision) => [
      revision,
      after === undefined ? undefined : store.listEvents(query),
    ]);
    const [revision, page] = (await Promise.all(asked)) as [Revision, EventPage | "expired" | undefined];
    const isOther = this.#epoch !== undefined && this.#epoch !== revision.epoch;
    await this.#listeners.check(revision, clock(), (hash) => this.#findKey(hash));
    if (isOther || page === "expired" || (page && after !== undefined && page.newest < after)) {
      // A server that took over may lack events that were sent: clients learn it when they connect again.
      this.endAll();
      return false;
    }
    this.#epoch = revision.epoch;
    if (page && this.#position === after) await this.#dispatch(page.items, after as bigint, endOf(page));
    const more = page?.more === true;
    // Where other streams are live by now, their pages may be older than this revision.
    if (page && !more && this.#position === endOf(page)) this.#readAsOf = revision;
    return more;
  }

  async #findKey(hash: Uint8Array): Promise<ApiKey | undefined> {
    return this.#options.store.findKey(hash);
  }

  async #dispatch(events: readonly ChangeEvent[], after: bigint, end: bigint): Promise<void> {
    if (end === after) return;
    this.#position = end;
    const texts = new Map<string, Uint8Array>();
    const textFor = (types: readonly EventType[]) => {
      const name = types.join();
      const made = texts.get(name) ?? eventText(events, types);
      texts.set(name, made);
      return made;
    };
    let sent = 0;
    for (const stream of [...this.#listeners]) {
      const { isLive, position = after, types } = stream;
      if (!isLive || position >= end) continue;
      // A stream that has read further than the hub has some of these events already.
      const rest = position > after ? events.filter(({ id }) => id > position) : undefined;
      stream.send(rest ? eventText(rest, types) : textFor(types), end);
      if (++sent % SLICE === 0) await new Promise(setImmediate);
    }
  }
}
