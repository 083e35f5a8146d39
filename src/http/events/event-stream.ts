import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { StreamEnd } from "../../domain/observation.ts";
import type { Batch } from "../../feed/feed.ts";
import type { FeedReader } from "../../feed/feed-reader.ts";
import { heartbeatAt, PREAMBLE, positionText, textOf } from "./event-text.ts";
import type { Listener } from "./listener.ts";

/** A client that has left bytes unread at this many heartbeats in a row is cut off. */
const STALLED_HEARTBEATS = 3;

/** What a stream needs from the hub that opened it. */
interface Owner {
  /** Whether the stream's key is still valid, by a look-up that is not older than what its reader has read. */
  isAllowed(stream: EventStream): MaybePromise<boolean>;
  /** Reports why events could not be read or shown. */
  report(error: unknown): void;
  /** Called once, however the stream ends. */
  forget(stream: EventStream, end: StreamEnd): void;
}

type Sendable = Pick<Batch, "events" | "end">;

interface Options {
  readonly reader: FeedReader;
  readonly listener: Listener;
  readonly owner: Owner;
  /** The part of a heartbeat's period in which this stream gets its heartbeat. */
  readonly heartbeatSlot: number;
}

/**
 * The events that one client listens to, as server-sent events: it reads on when the client has taken what it was sent. It
 * is its own source of bytes: closures, and a queue that measures bytes, would take twice the memory of an idle stream.
 */
export class EventStream {
  readonly reader: FeedReader;
  readonly listener: Listener;
  readonly heartbeatSlot: number;
  readonly body: ReadableStream<Uint8Array>;
  /** When it was opened, by the monotonic clock, in milliseconds. */
  readonly openedAt = performance.now();
  /** Events sent so far. */
  sent = 0;
  readonly #owner: Owner;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** All events up to this one were sent, or are of other types. */
  #position: bigint | undefined;
  /** The position that the client knows. */
  #sentPosition: bigint | undefined;
  #stalledHeartbeats = 0;
  /** Goes on once the client has taken all that it was sent. */
  #goOn: (() => void) | undefined;

  constructor({ reader, listener, owner, heartbeatSlot }: Options) {
    this.reader = reader;
    this.listener = listener;
    this.heartbeatSlot = heartbeatSlot;
    this.#owner = owner;
    this.body = new ReadableStream(this);
  }

  /** Called by the stream of bytes, as `pull` and `cancel` are. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    controller.enqueue(PREAMBLE);
  }

  /** The client has taken all that it was sent. */
  pull(): void {
    this.#goOn?.();
    this.#goOn = undefined;
  }

  cancel(): void {
    this.#finish("client_left");
  }

  /**
   * Sends the events that the stream begins with, or a position, without which the client could not resume; then reads on
   * until the stream ends.
   */
  begin(batch: Sendable): void {
    if (!this.#send(batch)) {
      this.#sentPosition = batch.end;
      this.#controller?.enqueue(positionText(batch.end));
    }
    void this.#readOn();
  }

  async #readOn(): Promise<void> {
    try {
      while (this.#controller) {
        if (this.#hasUnread) await new Promise<void>((resolve) => (this.#goOn = resolve));
        const next = this.reader.next();
        // An `await` of what is at hand would cost each of many streams a turn.
        const batch = next instanceof Promise ? await next : next;
        if (batch === undefined) continue;
        if (batch === "expired" || batch === "failover") return this.end(batch);
        const isAllowed = this.#owner.isAllowed(this);
        if (!(isAllowed instanceof Promise ? await isAllowed : isAllowed)) return this.end("key_ended");
        this.#send(batch);
      }
    } catch (error) {
      this.#owner.report(error);
      // Its client connects again, and gets the failure as a response.
      this.end("failed");
    }
  }

  /** Sends a comment, and the position if the client does not know it. */
  sendHeartbeat(): void {
    const isNew = this.#position !== this.#sentPosition;
    this.#sentPosition = this.#position;
    this.#stalledHeartbeats = this.#hasUnread ? this.#stalledHeartbeats + 1 : 0;
    if (this.#stalledHeartbeats >= STALLED_HEARTBEATS) this.end("not_reading");
    else this.#controller?.enqueue(heartbeatAt(isNew ? this.#position : undefined));
  }

  /** Ends the stream: a client that wants more connects again. */
  end(end: StreamEnd): void {
    const controller = this.#controller;
    if (!controller) return;
    const isUnread = this.#hasUnread;
    this.#finish(end);
    controller.close();
    if (isUnread) this.listener.abandon();
  }

  /** Whether chunks wait for the client: an empty queue desires one. */
  get #hasUnread(): boolean {
    return (this.#controller?.desiredSize ?? 0) < 1;
  }

  /** Whether there were events of the reader's types to send. */
  #send({ events, end }: Sendable): boolean {
    const { bytes, count, lastId } = textOf(events, this.reader.types);
    this.#position = end;
    if (count === 0) return false;
    if (!this.#controller) return false;
    this.sent += count;
    this.#sentPosition = lastId;
    this.#controller.enqueue(bytes);
    return true;
  }

  #finish(end: StreamEnd): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    this.pull();
    this.reader.leave();
    this.#owner.forget(this, end);
  }
}
