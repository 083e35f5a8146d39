import type { EventType } from "../../domain/change-event.ts";
import { heartbeatAt, PREAMBLE } from "./event-text.ts";

/** Bytes that wait for the client before more is read for it. */
const HIGH_WATER_BYTES = 16 * 1024;
/** A client that leaves more bytes than this unread is cut off. */
const UNREAD_MAX_BYTES = 256 * 1024;
/** A client that has left bytes unread at this many heartbeats in a row is cut off. */
const STALLED_HEARTBEATS = 2;

interface Options {
  readonly types: readonly EventType[];
  /** Asks for the next events, when the client has read what there was and is behind. */
  readonly pull: () => Promise<void>;
  /** Called once, however the stream ends. */
  readonly ended: () => void;
  /** Has the runtime close the connection soon, though the client does not read. */
  readonly abandon: () => void;
  /** In which second of a heartbeat's period it gets its heartbeat. */
  readonly heartbeatSlot: number;
}

/** The events that one client listens to, and how far it has come. */
export class EventStream {
  readonly types: readonly EventType[];
  readonly heartbeatSlot: number;
  readonly body: ReadableStream<Uint8Array>;
  /** All events up to this one were sent, or are not of its types. */
  position: bigint | undefined;
  /** Whether it has caught up with the feed, so that new events come by themselves. */
  isLive = false;
  readonly #options: Options;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The position that the client knows. */
  #sentPosition: bigint | undefined;
  #stalledHeartbeats = 0;

  constructor(options: Options) {
    this.types = options.types;
    this.heartbeatSlot = options.heartbeatSlot;
    this.#options = options;
    const size = (chunk: Uint8Array | undefined) => chunk?.byteLength ?? 0;
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      this.#controller = controller;
      controller.enqueue(PREAMBLE);
    };
    const pull = () => (this.isLive ? undefined : options.pull());
    const cancel = () => this.#finish();
    this.body = new ReadableStream({ start, pull, cancel }, { highWaterMark: HIGH_WATER_BYTES, size });
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
    const isStalled = (this.#controller?.desiredSize ?? 0) < HIGH_WATER_BYTES;
    this.#stalledHeartbeats = isStalled ? this.#stalledHeartbeats + 1 : 0;
    if (this.#stalledHeartbeats > STALLED_HEARTBEATS) this.end();
    else this.#enqueue(heartbeatAt(isNew ? this.position : undefined));
  }

  /** Ends the stream: a client that wants more connects again. */
  end(): void {
    const controller = this.#controller;
    if (!controller) return;
    const isUnread = (controller.desiredSize ?? 0) < HIGH_WATER_BYTES;
    this.#finish();
    controller.close();
    if (isUnread) this.#options.abandon();
  }

  #enqueue(bytes: Uint8Array): void {
    const controller = this.#controller;
    if (!controller) return;
    controller.enqueue(bytes);
    if ((controller.desiredSize ?? 0) < HIGH_WATER_BYTES - UNREAD_MAX_BYTES) this.end();
  }

  #finish(): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    this.#options.ended();
  }
}
