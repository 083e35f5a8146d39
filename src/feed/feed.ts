import {
  type ChangeEvent,
  EVENT_TYPES,
  type EventPage,
  type EventType,
  endOf,
} from "../domain/change-event.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { MaybePromise } from "../domain/maybe-promise.ts";
import { LIMIT_MAX } from "../domain/page.ts";
import { isValidAt, type Revision } from "../domain/revision.ts";
import type { DatedReply, Store } from "../domain/store.ts";
import type { ObservationSink } from "../observations/observation.ts";
import { FeedFailures } from "./failures.ts";
import { TurnQueue } from "./turn-queue.ts";

/** How often the feed looks for news, in milliseconds: in memory, or by asking a server. */
const LOOK_AT_HAND_MS = 10;
const LOOK_ELSEWHERE_MS = 50;
/** The pause after a failure of the store, in milliseconds. */
const RETRY_MS = 1000;
/** Readers that go on in one turn of the event loop: requests have theirs in between. */
const RESUMED_MAX = 100;
/** Batches that are kept for readers that come later: some hundred kilobytes. */
const RECENT_MAX = 16;

/** A reader that has read everything. */
interface Waiting {
  /** Called before it goes on, if its position may not be in the feed any more. */
  mustRead(): void;
}

/** Events that follow each other in the feed. */
export interface Batch {
  /** What it has all events of. */
  readonly types: readonly EventType[];
  readonly events: readonly ChangeEvent[];
  /** The id after which a reader continues. */
  readonly end: bigint;
  /** Whether more events followed when it was read. */
  readonly more: boolean;
  /** The events are not older than this. */
  readonly revision: Revision;
}

/**
 * Reads the feed of changes for all readers of this process. Readers that continue from the same position share one read,
 * and those that have read everything wait for one look for news. It looks only while it has readers.
 */
export class Feed {
  readonly failures: FeedFailures;
  readonly #store: Store;
  readonly #turns = new TurnQueue();
  /** The batches read last, by the position that they follow. */
  readonly #recent = new Map<bigint, Batch>();
  /** Reads that have begun, by the position that they follow. */
  readonly #begun = new Map<bigint, { types: readonly EventType[]; read: Promise<Batch | "expired"> }>();
  /** The readers that wait for news, and how each goes on. */
  readonly #waiting = new Map<Waiting, () => void>();
  #readers = 0;
  #timer: Timer | undefined;
  /** Readers at this position or after it have read everything; `undefined` until a reader has. */
  #head: bigint | undefined;
  /** The revision of the last look. */
  #asOf: Revision | undefined;
  /** Whether the last look read as far as its revision. */
  #isComplete = false;
  #isLooking = false;
  /** Whether this process has committed a change since the last look began. */
  #isWoken = false;
  #retryAt = 0;

  constructor(store: Store, emit: ObservationSink) {
    this.#store = store;
    this.failures = new FeedFailures(emit);
  }

  /** The revision of the last look, if there was one since the first of the present readers came. */
  get asOf(): Revision | undefined {
    return this.#asOf;
  }

  /** Looks for news soon: this process has just committed a change, and readers may wait for it. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    setImmediate(() => void this.#look());
  }

  /** Counts a reader, for which the feed looks for news until `leave`. */
  enter(): void {
    if (this.#readers++ > 0) return;
    const isAtHand = this.#store.revisionAtHand() !== undefined;
    this.#timer = setInterval(() => void this.#look(), isAtHand ? LOOK_AT_HAND_MS : LOOK_ELSEWHERE_MS);
  }

  /** A reader has ended, also while it waits for news. */
  leave(reader: Waiting): void {
    this.#resume(reader);
    if (--this.#readers > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#forget();
    this.#asOf = undefined;
  }

  /** Whether a reader that has read everything up to a position has read everything that the feed knows of. */
  isAtHead(position: bigint): boolean {
    if (this.#head === undefined) {
      this.#head = position;
      this.#isComplete = false;
    }
    return position >= this.#head;
  }

  /** Resolves once the feed has news: events, a change of the API keys, or another server. */
  news(reader: Waiting): Promise<undefined> {
    return new Promise((resolve) => this.#waiting.set(reader, resolve as () => void));
  }

  /** A batch that was read before from the same server, with the events of these types and maybe others. */
  recent(types: readonly EventType[], after: bigint): Batch | undefined {
    const batch = this.#recent.get(after);
    if (!batch || (this.#asOf && this.#asOf.epoch !== batch.revision.epoch)) return undefined;
    return batch.types === EVENT_TYPES || batch.types === types ? batch : undefined;
  }

  /** Reads what follows a position in a turn of its own, unless it was read, or is being read, for another reader. */
  async readAfter(types: readonly EventType[], after: bigint): Promise<Batch | "expired"> {
    await this.#turns.next();
    const recent = this.recent(types, after);
    if (recent) return recent;
    const begun = this.#begun.get(after);
    if (begun?.types === types) return begun.read;
    const read = this.#readBatch(types, after);
    this.#begun.set(after, { types, read });
    try {
      return await read;
    } finally {
      if (this.#begun.get(after)?.read === read) this.#begun.delete(after);
    }
  }

  async #readBatch(types: readonly EventType[], after: bigint): Promise<Batch | "expired"> {
    const { reply: page, revision } = await this.#read(types, after);
    return page === "expired" ? page : this.#keep(after, batchOf(types, page, revision));
  }

  #read(types: readonly EventType[], after: bigint): MaybePromise<DatedReply<EventPage | "expired">> {
    const store = this.#store;
    return store.read(() => store.listEvents({ types, after, limit: LIMIT_MAX }));
  }

  /** Keeps a batch for readers that come later. */
  #keep(after: bigint, batch: Batch): Batch {
    if (batch.end <= after) return batch;
    this.#recent.set(after, batch);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= RECENT_MAX) break;
      this.#recent.delete(oldest);
    }
    return batch;
  }

  /** Looks for news, unless it does so already. */
  async #look(): Promise<void> {
    if (this.#isLooking || performance.now() < this.#retryAt) return;
    this.#isLooking = true;
    try {
      let more = true;
      while (more || this.#isWoken) {
        this.#isWoken = false;
        if (!this.#mayHaveNews()) break;
        more = await this.#readOn();
        this.failures.clear();
        if (more) await this.#turns.next();
      }
    } catch (error) {
      if (this.#readers > 0) this.failures.report(error);
      this.#retryAt = performance.now() + RETRY_MS;
      // After a defect no reader goes on.
      if (!(error instanceof StoreFailure)) await this.#restart();
    }
    this.#isLooking = false;
  }

  /** Without a revision at hand, only the store knows. */
  #mayHaveNews(): boolean {
    if (this.#readers === 0) return false;
    const revision = this.#store.revisionAtHand();
    const asOf = this.#asOf;
    if (!revision || !asOf || !this.#isComplete) return true;
    return !isValidAt(asOf, revision, "append") || !isValidAt(asOf, revision, "keys");
  }

  /** Reads from the head on, and lets the readers there go on if there is news; whether more events follow. */
  async #readOn(): Promise<boolean> {
    const [store, after, before] = [this.#store, this.#head, this.#asOf];
    const { reply: page, revision } = await (after === undefined
      ? store.read(() => undefined)
      : this.#read(EVENT_TYPES, after));
    if (this.#readers === 0) return false;
    if (page === "expired") {
      await this.#restart();
      return false;
    }
    const isOther = before !== undefined && before.epoch !== revision.epoch;
    if (isOther) this.#forget();
    this.#asOf = revision;
    // The first reader may have come to the head meanwhile, or all have left and others have come.
    const isSame = this.#head === after;
    const hasEvents = isSame && after !== undefined && page !== undefined && endOf(page) > after;
    if (hasEvents) this.#head = this.#keep(after, batchOf(EVENT_TYPES, page, revision)).end;
    const more = page?.more === true;
    this.#isComplete = isSame && !more;
    if (hasEvents || isOther || !before || !isValidAt(before, revision, "keys")) await this.#resumeAll();
    return more;
  }

  /** Makes each reader read for itself: it finds out whether its position has expired, or meets the defect. */
  #restart(): Promise<void> {
    this.#forget();
    for (const reader of this.#waiting.keys()) reader.mustRead();
    return this.#resumeAll();
  }

  #forget(): void {
    this.#recent.clear();
    this.#head = undefined;
  }

  async #resumeAll(): Promise<void> {
    let resumed = 0;
    for (const reader of [...this.#waiting.keys()]) {
      this.#resume(reader);
      if (++resumed % RESUMED_MAX === 0) await new Promise(setImmediate);
    }
  }

  #resume(reader: Waiting): void {
    this.#waiting.get(reader)?.();
    this.#waiting.delete(reader);
  }
}

function batchOf(types: readonly EventType[], page: EventPage, revision: Revision): Batch {
  return { types, events: page.items, end: endOf(page), more: page.more, revision };
}
