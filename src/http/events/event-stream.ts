import type { EventType } from "../../domain/change-event.ts";
import { heartbeatAt, PREAMBLE } from "./event-text.ts";
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
  forget(stream: EventStream): void;
}

interface Options {
  readonly types: readonly EventType[];
  readonly listener: Listener;
  readonly owner: Owner;
  /** Has the runtime close the connection soon, though the client does not read. */
  readonly abandon: () => void;
  /** In which second of a heartbeat's period it gets its heartbeat. */
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
  /** All events up to this one were sent, or are not of its types. */
  position: bigint | undefined;
  /** Whether it has caught up with the feed, so that new events come by themselves. */
  isLive = false;
  readonly #owner: Owner;
  readonly #abandon: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The position that the client knows. */
  #sentPosition: bigint | undefined;
  /** Bytes sent since the client had read everything. */
  #unreadBytes = 0;
  #stalledHeartbeats = 0;

  constructor({ types, listener, owner, abandon, heartbeatSlot }: Options) {
    this.types = types;
    this.listener = listener;
    this.heartbeatSlot = heartbeatSlot;
    this.#owner = owner;
    this.#abandon = abandon;
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
    this.#finish();
  }

  get hasEnded(): boolean {
    return this.#controller === undefined;
  }

  /** Sends the events up to a position; `text` has those of its types. */
  send(text: Uint8Array, position: bigint): void {
    this.position = position;
    if (text.length === 0) return;
    this.#sentPosition = position;
    this.#enqueue(text);
  }

  /** Sends a comment, and the position where the client does not know it. */
  sendHeartbeat(): void {
    const isNew = this.position !== this.#sentPosition;
    this.#sentPosition = this.position;
    this.#stalledHeartbeats = this.#hasUnread ? this.#stalledHeartbeats + 1 : 0;
    if (this.#stalledHeartbeats > STALLED_HEARTBEATS) this.end();
    else this.#enqueue(heartbeatAt(isNew ? this.position : undefined));
  }

  /** Ends the stream: a client that wants more connects again. */
  end(): void {
    const controller = this.#controller;
    if (!controller) return;
    const isUnread = this.#hasUnread;
    this.#finish();
    controller.close();
    if (isUnread) this.#abandon();
  }

  /** Whether chunks wait for the client: an empty queue desires one. */
  get #hasUnread(): boolean {
    return (this.#controller?.desiredSize ?? 0) < 1;
  }

  #enqueue(bytes: Uint8Array): void {
    if (!this.#hasUnread) this.#unreadBytes = 0;
    this.#controller?.enqueue(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes > UNREAD_MAX_BYTES && this.#hasUnread) this.end();
  }

  #finish(): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    this.#owner.forget(this);
  }
}
