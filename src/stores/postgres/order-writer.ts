import type { SQL } from "bun";
import { StoreFailure } from "../../domain/failure.ts";
import type { Idempotency } from "../../domain/idempotency.ts";
import type { NewOrder, Order, OrderStatus } from "../../domain/order.ts";
import type { Revision } from "../../domain/revision.ts";
import type { Placed, Updated } from "../../domain/store.ts";
import type { CommitObserver } from "../../observations/commit-observer.ts";
import { Pauses } from "../../system/pauses.ts";
import { GroupCommit, type WrittenBatch } from "../group-commit.ts";
import { versionOf } from "../order-write.ts";
import type { WriteCheck } from "../write-check.ts";
import { describeLockHolders, findRowHolders } from "./connect/lock-holders.ts";
import type { Pool } from "./connect/pool.ts";
import { isOrderTaken } from "./errors.ts";
import type { NotYet } from "./not-yet.ts";
import { type KeyedPlacement, placeOrders } from "./place-orders.ts";
import { Transactions, writeParts } from "./transactions.ts";
import { type KeyedStatusChange, updateOrders } from "./update-orders.ts";

/** The back-off before an order is retried whose row another transaction holds; most hold it for one commit. */
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 100;

const ORDERS_BY_HAND = {
  isTaken: isOrderTaken,
  raise: (sql: SQL) => sql`SELECT animal_store.lock_order_ids(), animal_store.lock_feed()`,
};

type OrderWrite = KeyedPlacement | KeyedStatusChange;
type Outcome = Placed | Updated | NotYet;

/**
 * Writes orders in batches, with optimistic retries. It never waits in the database for a row that another transaction
 * holds: a later batch retries that order, so it delays neither other orders nor a connection.
 */
export class OrderWriter {
  readonly #commit: GroupCommit<OrderWrite, Outcome>;
  readonly #pool: Pool;
  readonly #waitMaxMs: number;

  /**
   * @param clock milliseconds since 1970
   * @param waitMaxMs how long an order may take
   */
  constructor(
    pool: Pool,
    clock: () => number,
    waitMaxMs: number,
    writeCheck: WriteCheck,
    observer: CommitObserver | undefined,
  ) {
    this.#commit = new GroupCommit(
      (writes) => writeCheck.observeBatch(writeOrders(pool, writes, clock())),
      waitMaxMs,
      observer,
    );
    this.#pool = pool;
    this.#waitMaxMs = waitMaxMs;
  }

  /** The number of writes that wait for an earlier transaction. */
  get queueLength(): number {
    return this.#commit.queueLength;
  }

  place(
    order: NewOrder,
    idempotency: Idempotency | undefined,
    ifKeysAt: Revision | undefined,
  ): Promise<Placed> {
    return this.#write({ order, idempotency, ifKeysAt }) as Promise<Placed>;
  }

  update(
    id: bigint,
    status: OrderStatus,
    ifKeysAt: Revision | undefined,
    expected: Order | "unknown" | undefined,
  ): Promise<Updated> {
    const version = expected && versionOf(expected);
    return this.#write({ id, status, version, ifKeysAt }) as Promise<Updated>;
  }

  /** Resolves when all pending writes have been answered. */
  close(): Promise<void> {
    return this.#commit.close();
  }

  async #write(write: OrderWrite): Promise<Placed | Updated> {
    const due = performance.now() + this.#waitMaxMs;
    const pauses = new Pauses(PAUSE_MIN_MS, PAUSE_MAX_MS);
    for (;;) {
      const outcome = await this.#commit.add(write);
      if (outcome !== "row_locked" && outcome !== "retry") return outcome;
      if (performance.now() > due) {
        const holders = await this.#pool.read(findRowHolders).catch(() => []);
        const message = `another transaction holds the row of the animal or order: ${describeLockHolders(holders)}`;
        throw new StoreFailure("store_unavailable", message);
      }
      if (outcome === "row_locked") await pauses.wait();
    }
  }
}

/** Writes a batch: first the changes of orders, which may free animals, then the new orders. */
async function writeOrders(
  pool: Pool,
  writes: readonly OrderWrite[],
  now: number,
): Promise<WrittenBatch<Outcome>> {
  const transactions = new Transactions(pool, ORDERS_BY_HAND);
  const outcomes = new Map<OrderWrite, Outcome | Error>();
  const updates = writes.filter((write) => "id" in write);
  const updated = await writeParts(updates, "an order", (some, ifKeysAt) =>
    updateOrders(transactions, some, ifKeysAt, now),
  );
  for (const [n, update] of updates.entries()) outcomes.set(update, updated[n] as Outcome | Error);
  const placements = writes.filter((write) => "order" in write);
  const placed = await writeParts(placements, "an order", (some, ifKeysAt) =>
    placeOrders(transactions, some, ifKeysAt, now),
  );
  for (const [n, placement] of placements.entries()) outcomes.set(placement, placed[n] as Outcome | Error);
  return {
    results: writes.map((write) => outcomes.get(write) as Outcome | Error),
    confirmed: transactions.confirmed(),
  };
}
