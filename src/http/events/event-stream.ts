import type { ChangeEvent } from "../../domain/change-event.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { FeedReader } from "../../feed/feed-reader.ts";
import type { StreamEnd } from "../../observations/request-observer.ts";
import { heartbeatAt, PREAMBLE, positionText, textOf } from "./event-text.ts";
import type { Listener } from "./listener.ts";
import { Outlet } from "./outlet.ts";

/** A client that has left bytes unread at this many heartbeats in a row is cut off. */
const STALLED_HEARTBEATS = 3;

/** What a stream needs from the hub that opened it. */
interface Owner {
  /** Counts the events that were sent to all its streams. */
  eventsSent: number;
  /** Whether the stream's key is still valid, by a look-up that is not older than what its reader has read. */
  isAllowed(stream: EventStream): MaybePromise<boolean>;
  /** Reports why events could not be read or shown. */
  report(error: unknown): void;
  /** Called once, however the stream ends. */
  forget(stream: EventStream, end: StreamEnd): void;
}

interface Options {
  readonly reader: FeedReader;
  readonly listener: Listener;
  readonly owner: Owner;
  /** The part of a heartbeat's period in which this stream gets its heartbeat. */
  readonly heartbeatSlot: number;
}

/**
 * The events that one client listens to, as server-sent events: it reads on when the client has taken what it was sent. Its
 * reader holds the position: all events up to it were sent, or are of other types.
 */
export class EventStream {
  readonly reader: FeedReader;
  readonly listener: Listener;
  readonly heartbeatSlot: number;
  /** When it was opened, by the monotonic clock, in milliseconds. */
  readonly openedAt = performance.now();
  /** Events sent so far. */
  sent = 0;
  readonly #owner: Owner;
  readonly #outlet = new Outlet(this);
  /** The position that the client was told last: it may lack events of other types. */
  #told: bigint | undefined;
  #stalledHeartbeats = 0;

  constructor({ reader, listener, owner, heartbeatSlot }: Options) {
    this.reader = reader;
    this.listener = listener;
    this.heartbeatSlot = heartbeatSlot;
    this.#owner = owner;
    this.#outlet.send(PREAMBLE);
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#outlet.body;
  }

  /**
   * Sends the events that the stream begins with, or a position, without which the client could not resume; then reads on
   * until the stream ends.
   *
   * @param events those up to the reader's position
   */
  begin(events: readonly ChangeEvent[]): void {
    if (!this.#send(events)) {
      this.#told = this.reader.position;
      this.#outlet.send(positionText(this.reader.position));
    }
    void this.#readOn();
  }

  async #readOn(): Promise<void> {
    try {
      while (this.#outlet.isOpen) {
        if (this.#outlet.hasUnread) await this.#outlet.taken();
        const next = this.reader.next();
        // An `await` of what is at hand would cost each of many streams a turn.
        const batch = next instanceof Promise ? await next : next;
        if (batch === undefined) continue;
        if (batch === "expired" || batch === "failover") return this.end(batch);
        const isAllowed = this.#owner.isAllowed(this);
        if (!(isAllowed instanceof Promise ? await isAllowed : isAllowed)) return this.end("key_ended");
        this.#send(batch.events);
        this.reader.pass(batch);
      }
    } catch (error) {
      this.#owner.report(error);
      // Its client connects again, and gets the failure as a response.
      this.end("failed");
    }
  }

  /** Sends a comment, and the position if the client does not know it. */
  sendHeartbeat(): void {
    const { position } = this.reader;
    const isNew = position !== this.#told;
    this.#told = position;
    this.#stalledHeartbeats = this.#outlet.hasUnread ? this.#stalledHeartbeats + 1 : 0;
    if (this.#stalledHeartbeats >= STALLED_HEARTBEATS) this.end("not_reading");
    else this.#outlet.send(heartbeatAt(isNew ? position : undefined));
  }

  /** Ends the stream: a client that wants more connects again. */
  end(end: StreamEnd): void {
    if (!this.#outlet.isOpen) return;
    const isUnread = this.#outlet.hasUnread;
    this.#outlet.close();
    this.#leave(end);
    if (isUnread) this.listener.abandon();
  }

  /** Called by the outlet. */
  clientLeft(): void {
    this.#leave("client_left");
  }

  /** Whether there were events of the reader's types to send. */
  #send(events: readonly ChangeEvent[]): boolean {
    const { bytes, count, lastId } = textOf(events, this.reader.types);
    if (count === 0 || !this.#outlet.isOpen) return false;
    this.sent += count;
    this.#owner.eventsSent += count;
    this.#told = lastId;
    this.#outlet.send(bytes);
    return true;
  }

  #leave(end: StreamEnd): void {
    this.reader.leave();
    this.#owner.forget(this, end);
  }
}
