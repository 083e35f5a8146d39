import type { AnimalStore } from "../client/animal-store.ts";
import type { StoreEvent } from "../client/events.ts";
import { type Delivery, deliver } from "./deliver.ts";
import { RelayEnd } from "./end.ts";
import { type Batch, batchesOf, type Start } from "./feed.ts";
import { inOrder } from "./in-order.ts";
import { messageOf } from "./message.ts";
import type { Position } from "./position-file.ts";

export interface RelayOptions {
  /** The service whose feed is read. */
  readonly store: AnimalStore;
  readonly delivery: Delivery;
  /** How many events are delivered at once, at most. Those of one animal, and of its orders, keep their order. */
  readonly atOnce: number;
  /** Where it begins without a position. */
  readonly start: "oldest" | "latest";
  readonly position: Position | undefined;
  /** Deliver this event and all after it, whatever the position says. */
  readonly replayFrom?: bigint | undefined;
  /** Go on after the latest event where the feed does not continue at the position. */
  readonly restarts: boolean;
  /** Whether an event of this type is delivered. */
  readonly wants: (type: string) => boolean;
  /** Takes each new position. After a kill, what was delivered after the last position on the disk is delivered again. */
  readonly keep: (position: Position) => void;
  /** Called once the feed was read for the first time. */
  readonly onReady: (after: bigint | undefined) => void;
}

/**
 * Delivers the feed in its order: each event at least once, and the next of an animal when the one before it has arrived.
 *
 * @throws RelayEnd where it cannot go on
 * @throws the reason of a signal of `delivery` that aborts
 */
export async function relay(options: RelayOptions): Promise<never> {
  const { replayFrom, restarts, delivery } = options;
  let start: Start = replayFrom === undefined ? (options.position ?? options.start) : "oldest";
  const reader = new Reader(options);
  for (;;) {
    try {
      for await (const batch of batchesOf(options.store, start, delivery.stop)) await reader.take(batch);
    } catch (error) {
      if (!(error instanceof RelayEnd && error.why === "feed_lost" && restarts)) throw error;
      delivery.notify({ notice: "started_anew", error });
      start = "latest";
      reader.forget();
    }
  }
}

/** Takes batches of the feed one after the other. */
class Reader {
  readonly #options: RelayOptions;
  readonly #delivery: Delivery;
  /** Ends the waits of all deliveries when one of them cannot be made. */
  readonly #halt = new AbortController();
  /** The last event that was delivered or passed over. */
  #last: bigint | undefined;
  /** The first event to deliver in a replay, until it is found. */
  #sought: bigint | undefined;
  #isReady = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    const { delivery } = options;
    this.#delivery = { ...delivery, stop: AbortSignal.any([delivery.stop, this.#halt.signal]) };
    this.#last = options.replayFrom === undefined ? options.position?.event : undefined;
    this.#sought = options.replayFrom;
  }

  /** Forgets the last event: a store that was restored may give lower ids than it did. */
  forget(): void {
    this.#last = undefined;
  }

  async take({ events, cursor, next }: Batch): Promise<void> {
    const { atOnce, wants, keep, onReady } = this.#options;
    this.#seek({ events, cursor, next });
    if (!this.#isReady) onReady(this.#last);
    this.#isReady = true;
    const due = events.filter(({ id }) => this.#isDue(id));
    if (due.length > 0) this.#sought = undefined;
    await inOrder(due, {
      atOnce,
      keyOf: ({ animal, order }) => animal?.id ?? order?.petId,
      run: (event) => this.#deliver(event),
      onDone: ({ id, type }) => {
        this.#last = id;
        if (cursor !== undefined && wants(type)) keep({ cursor, event: id });
      },
      onFailure: () => this.#halt.abort(),
    });
    if (this.#sought === undefined) keep({ cursor: next, event: this.#last });
  }

  #isDue(id: bigint): boolean {
    const isDelivered = this.#last !== undefined && id <= this.#last;
    return !isDelivered && (this.#sought === undefined || id >= this.#sought);
  }

  async #deliver(event: StoreEvent): Promise<void> {
    if (this.#options.wants(event.type)) await deliver(messageOf(event), this.#delivery);
    else this.#delivery.notify({ notice: "passed_over", id: event.id });
  }

  /** @throws RelayEnd if the event that a replay begins with is not in the feed */
  #seek({ events, cursor }: Batch): void {
    const sought = this.#sought;
    if (sought === undefined) return;
    const [oldest] = events;
    if (oldest === undefined) {
      throw new RelayEnd(
        "replay_unknown",
        `there is no event ${sought} yet: --replay-from must name an event that is kept.`,
      );
    }
    if (cursor === undefined && oldest.id > sought) {
      throw new RelayEnd(
        "replay_unknown",
        `event ${sought} is kept no more: the oldest is ${oldest.id}, as in --replay-from ${oldest.id}.`,
      );
    }
  }
}
