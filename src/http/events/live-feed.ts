import { type ChangeEvent, EVENT_TYPES, type EventType } from "../../domain/change-event.ts";
import { StoreFailure } from "../../domain/failure.ts";
import { LIMIT_MAX } from "../../domain/page.ts";
import { isValidAt, type Revision } from "../../domain/revision.ts";
import type { Store } from "../../domain/store.ts";
import { endOf } from "../../operations/list-events.ts";
import { type EventText, eventText } from "./event-text.ts";
import type { FeedFailures } from "./feed-failures.ts";
import type { Listeners } from "./listeners.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** The pause after a failure of the store, in milliseconds. */
const RETRY_MS = 1000;
/** Streams that get a batch before requests have their turn. */
const SLICE = 250;

interface LiveFeedOptions {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly listeners: Listeners;
  readonly turns: TurnQueue;
  readonly failures: FeedFailures;
}

/** Reads new events once for all live streams, and checks their keys. */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  /** All events up to here were read; `undefined` until a stream is live. */
  #position: bigint | undefined;
  /** The revision of the last read that found nothing more. */
  #readAsOf: Revision | undefined;
  /** How often `expectNews` was called. */
  #expectations = 0;
  /** The epoch of the last read. A server of another epoch may lack events that were sent. */
  #epoch: number | undefined;
  #isReading = false;
  /** Whether this process has committed a change since the last read began. */
  #isWoken = false;
  #retryAt = 0;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  /** Begins where the next stream has caught up: there is no other. */
  restart(): void {
    this.#position = undefined;
    this.#epoch = undefined;
  }

  /** Makes the next look read, even if the store has not changed. A read that is under way does not count. */
  expectNews(): void {
    this.#expectations++;
    this.#readAsOf = undefined;
  }

  /**
   * Joins a stream that has read everything up to a position; whether it is live from now on. It is not if the live
   * streams have more: it has to read on.
   */
  join(end: bigint): boolean {
    if (this.#position !== undefined && end < this.#position) return false;
    this.#position ??= end;
    return true;
  }

  /** Looks for news soon: this process has just committed a change. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    setImmediate(() => void this.look());
  }

  /** Looks for news, if they are not being read already. */
  async look(): Promise<void> {
    if (this.#isReading || performance.now() < this.#retryAt) return;
    const { turns, failures, listeners } = this.#options;
    this.#isReading = true;
    try {
      let more = true;
      while (more || this.#isWoken) {
        this.#isWoken = false;
        if (!this.#mayHaveNews()) break;
        more = await this.#read();
        failures.clear();
        if (more) await turns.next();
      }
    } catch (error) {
      if (listeners.count > 0) failures.report(error);
      this.#retryAt = performance.now() + RETRY_MS;
      // After a defect, events may have been read but not sent, and no stream may go on after them.
      if (!(error instanceof StoreFailure)) listeners.endAll("failed");
    }
    this.#isReading = false;
  }

  /** Without a revision at hand, only the store knows. */
  #mayHaveNews(): boolean {
    const { store, listeners } = this.#options;
    if (listeners.count === 0) return false;
    const revision = store.revisionAtHand();
    const asOf = this.#readAsOf;
    return !revision || !asOf || !isValidAt(asOf, revision, "append") || !isValidAt(asOf, revision, "keys");
  }

  /** Reads a batch and sends it to the live streams; whether more follow. */
  async #read(): Promise<boolean> {
    const { store, clock, listeners } = this.#options;
    const after = this.#position;
    const expectations = this.#expectations;
    const { revision, reply: page } = await store.read(() =>
      after === undefined ? undefined : store.listEvents({ types: EVENT_TYPES, after, limit: LIMIT_MAX }),
    );
    const isOther = this.#epoch !== undefined && this.#epoch !== revision.epoch;
    await listeners.check(revision, clock(), (hash) => store.findKey(hash));
    if (isOther || page === "expired") {
      // A server that took over may lack events that were sent. Clients learn it when they connect again.
      listeners.endAll(isOther ? "failover" : "expired");
      return false;
    }
    this.#epoch = revision.epoch;
    if (!page || after === undefined) return false;
    const end = endOf(page);
    if (this.#position === after && end > after) await this.#send(page.items, after, end);
    // If other streams have joined since, their pages may be newer than this revision, and their keys are unchecked.
    const isComplete = this.#position === end && this.#expectations === expectations;
    if (!page.more && isComplete) this.#readAsOf = revision;
    return page.more;
  }

  async #send(events: readonly ChangeEvent[], after: bigint, end: bigint): Promise<void> {
    this.#position = end;
    const texts = new Map<string, EventText>();
    const textFor = (types: readonly EventType[]) => {
      const name = types.join();
      const text = texts.get(name) ?? eventText(events, types);
      texts.set(name, text);
      return text;
    };
    let reached = 0;
    for (const stream of [...this.#options.listeners]) {
      const { isLive, position = after, types } = stream;
      if (!isLive || position >= end) continue;
      // A stream that was ahead when it joined has some of these events already.
      const rest = position > after ? events.filter(({ id }) => id > position) : undefined;
      stream.send(rest ? eventText(rest, types) : textFor(types), end);
      if (++reached % SLICE === 0) await new Promise(setImmediate);
    }
  }
}
