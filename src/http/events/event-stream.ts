import type { EventType } from "../../domain/change-event.ts";
import type { StreamEnd } from "../../domain/observation.ts";
import { type EventText, heartbeatAt, PREAMBLE, positionText } from "./event-text.ts";
import type { Listener } from "./listener.ts";

/** A client that has let more bytes than this pile up, without catching up in between, is cut off. */
const UNREAD_MAX_BYTES = 1024 * 1024;
/** A client that has left bytes unread at this many heartbeats in a row is cut off. */
const STALLED_HEARTBEATS = 2;

/** What reads the feed for a stream. */
interface Owner {
  /** Sends the next events: the client has read what there was, and is behind. */
  catchUp(stream: EventStream): Promise<void>;
  /** Called once, however the stream ends. */
  forget(stream: EventStream, end: StreamEnd): void;
}

interface Options {
  readonly types: readonly EventType[];
  readonly listener: Listener;
  readonly owner: Owner;
  /** The part of a heartbeat's period in which this stream gets its heartbeat. */
  readonly heartbeatSlot: number;
}

/**
 * The events that one client listens to, and how far it has come. It is its own source of bytes: closures, and a queue
 * that measures bytes, would take twice the memory of an idle stream.
 */
export class EventStream {
  readonly types: readonly EventType[];
  readonly listener: Listener;
  readonly heartbeatSlot: number;
  readonly body: ReadableStream<Uint8Array>;
  /** When it was opened, by the monotonic clock, in milliseconds. */
  readonly openedAt = performance.now();
  /** All events up to this one were sent, or are of other types. */
  position: bigint | undefined;
  /** Whether it has caught up with the feed, so that it gets new events as they are read for all. */
  isLive = false;
  /** Events sent so far. */
  sent = 0;
  readonly #owner: Owner;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The position that the client knows. */
  #sentPosition: bigint | undefined;
  /** Bytes sent since the client had read everything. */
  #unreadBytes = 0;
  #stalledHeartbeats = 0;

  constructor({ types, listener, owner, heartbeatSlot }: Options) {
    this.types = types;
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

  pull(): Promise<void> | undefined {
    return this.isLive ? undefined : this.#owner.catchUp(this);
  }

  cancel(): void {
    this.#finish("client_left");
  }

  get hasEnded(): boolean {
    return this.#controller === undefined;
  }

  /** Sends the events up to a position; `text` has those of its types. */
  send({ bytes, count, lastId }: EventText, position: bigint): void {
    this.position = position;
    if (count === 0) return;
    this.sent += count;
    this.#sentPosition = lastId;
    this.#enqueue(bytes);
  }

  /** Sends the position if the client knows none yet. Without it, a client that loses the connection could not resume. */
  sendFirstPosition(): void {
    if (this.#sentPosition !== undefined || this.position === undefined) return;
    this.#sentPosition = this.position;
    this.#enqueue(positionText(this.position));
  }

  /** Sends a comment, and the position if the client does not know it. */
  sendHeartbeat(): void {
    const isNew = this.position !== this.#sentPosition;
    this.#sentPosition = this.position;
    this.#stalledHeartbeats = this.#hasUnread ? this.#stalledHeartbeats + 1 : 0;
    if (this.#stalledHeartbeats > STALLED_HEARTBEATS) this.end("not_reading");
    else this.#enqueue(heartbeatAt(isNew ? this.position : undefined));
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

  #enqueue(bytes: Uint8Array): void {
    if (!this.#hasUnread) this.#unreadBytes = 0;
    this.#controller?.enqueue(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes > UNREAD_MAX_BYTES && this.#hasUnread) this.end("not_reading");
  }

  #finish(end: StreamEnd): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    this.#owner.forget(this, end);
  }
}
