import type { EventType } from "../domain/change-event.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import { isValidAt, type Revision } from "../domain/revision.ts";
import { Pauses } from "../system/pauses.ts";
import type { Batch, Feed } from "./feed.ts";

/** Pauses of a reader that finds nothing, although others have more, in milliseconds. */
const BEHIND_MIN_MS = 10;
const BEHIND_MAX_MS = 1000;

interface Start {
  readonly types: readonly EventType[];
  /** The id after which the reader begins. */
  readonly position: bigint;
  /** Whether more events are known to follow. */
  readonly more: boolean;
  /** A revision from before the reader's API key was looked up. */
  readonly asOf: Revision;
}

/** A position in the feed, and the way to what follows. It moves on when its owner has passed a batch on. */
export class FeedReader {
  readonly types: readonly EventType[];
  readonly #feed: Feed;
  #position: bigint;
  #more: boolean;
  #asOf: Revision;
  readonly #pauses = new Pauses(BEHIND_MIN_MS, BEHIND_MAX_MS);
  #hasLeft = false;

  constructor(feed: Feed, { types, position, more, asOf }: Start) {
    this.types = types;
    this.#feed = feed;
    this.#position = position;
    this.#more = more;
    this.#asOf = asOf;
    feed.enter();
  }

  /** The id of the last event that was passed on, or after which the reader began. */
  get position(): bigint {
    return this.#position;
  }

  /** A revision of the API keys that the events read so far are not newer than. */
  get asOf(): Revision {
    return this.#asOf;
  }

  /**
   * What follows: events, maybe of other types too, or none where API keys have changed. It waits until there is something;
   * `undefined` says to ask again, unless the reader has left. Otherwise it says why the reader cannot go on: its position
   * has expired, or another server took over, which may lack events that were read. Not `async`: a reader that waits holds
   * one promise, and one with events at hand none.
   *
   * @throws what the store throws, or rejects with it
   */
  next(): MaybePromise<Batch | "expired" | "failover" | undefined> {
    // A stream whose client leaves with bytes unread asks once more; nothing would end that wait while the feed is silent.
    if (this.#hasLeft) return undefined;
    const feed = this.#feed;
    const { asOf } = feed;
    if (asOf && !isValidAt(this.#asOf, asOf, "keys")) return this.#take(this.#nothing(asOf));
    const recent = feed.recent(this.types, this.#position);
    if (recent) return this.#take(recent);
    if (this.#more || !feed.isAtHead(this.#position)) return this.#read();
    return feed.news(this);
  }

  async #read(): Promise<Batch | "expired" | "failover" | undefined> {
    const batch = await this.#feed.readAfter(this.types, this.#position);
    if (batch === "expired") return batch;
    if (batch.end > this.#position) return this.#take(batch);
    this.#more = false;
    if (this.#hasLeft || this.#feed.isAtHead(this.#position)) return undefined;
    // This read was the older one, or a server took over that lacks events, which the next look will find.
    await this.#pauses.wait();
    return undefined;
  }

  /** Moves on behind a batch that `next` returned. */
  pass({ end, more }: Batch): void {
    this.#position = end;
    this.#more = more;
    this.#pauses.reset();
  }

  /** Has the reader ask the store whether its position is still in the feed, although it has read everything. */
  mustRead(): void {
    this.#more = true;
  }

  /** Ends the reader, also while it waits. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#feed.leave(this);
  }

  #nothing(revision: Revision): Batch {
    return { types: this.types, events: [], end: this.#position, more: this.#more, revision };
  }

  #take(batch: Batch): Batch | "failover" {
    const { revision } = batch;
    if (revision.epoch !== this.#asOf.epoch) return "failover";
    if (!isValidAt(this.#asOf, revision, "keys")) this.#asOf = revision;
    return batch;
  }
}
