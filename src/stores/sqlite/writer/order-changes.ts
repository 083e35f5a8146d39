import type { Database, Statement } from "bun:sqlite";
import type { Status } from "../../../domain/animal.ts";
import { mayBecome, type Order, type OrderStatus, placedOrder } from "../../../domain/order.ts";
import type { Placed, Updated } from "../../../domain/store.ts";
import {
  type OrderOutcome,
  type OrderWrite,
  type Placement,
  type StatusChange,
  versionOf,
} from "../../order-write.ts";
import { namesOf, type RowOf, valuesOf, type Written, withoutId } from "../../table.ts";
import { ORDER } from "../../tables.ts";
import { isRefusal } from "../errors.ts";
import type { EventLog } from "../event-log.ts";
import type { IdempotencyRecords } from "../idempotency-keys.ts";

/** What a new order's row is given: the engine gives it an id. */
const PLACED = withoutId<Omit<Order, "id">>(ORDER.columns);

/**
 * Places and changes orders. It writes only orders: triggers (migration 0011) update the animals, so an animal and its
 * order agree whichever program writes.
 */
export class OrderChanges {
  readonly #idempotency: IdempotencyRecords;
  readonly #animalStatus: Statement<{ status: Status }, [bigint]>;
  readonly #insert: Statement<unknown, Written[]>;
  readonly #find: Statement<RowOf<Order>, [bigint]>;
  readonly #setStatus: Statement<unknown, [OrderStatus, number, bigint]>;

  /** Applies one write, all of it or nothing. */
  readonly #applyOne: (write: OrderWrite, now: number, events: EventLog | undefined) => OrderOutcome;

  constructor(database: Database, idempotency: IdempotencyRecords) {
    this.#idempotency = idempotency;
    this.#animalStatus = database.prepare("SELECT status FROM animal WHERE id = ?");
    this.#insert = database.prepare(
      `INSERT INTO store_order (${namesOf(PLACED)}) VALUES (${PLACED.map(() => "?")})`,
    );
    this.#find = database.prepare(`SELECT ${ORDER.selection} FROM store_order WHERE id = ?`);
    this.#setStatus = database.prepare("UPDATE store_order SET status = ?, updated_at = ? WHERE id = ?");
    this.#applyOne = database.transaction((write: OrderWrite, now: number, events: EventLog | undefined) =>
      "order" in write ? this.#place(write, now, events) : this.#update(write, now, events),
    );
  }

  /**
   * Applies a batch within a transaction, one write after the other, so that a bad write fails alone.
   *
   * @param now milliseconds since 1970
   * @param events the log for the events of these changes; `undefined` if the store records none
   */
  apply(writes: readonly OrderWrite[], now: number, events: EventLog | undefined): OrderOutcome[] {
    return writes.map((write) => {
      try {
        return this.#applyOne(write, now, events);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return { refused: String(error) };
      }
    });
  }

  #place({ order, idempotency }: Placement, now: number, events: EventLog | undefined): Placed {
    const earlier = idempotency && this.#idempotency.find(idempotency, now);
    if (earlier) {
      const { digest, orderId, createdAt } = earlier;
      if (digest !== idempotency.digest || orderId === null) return "key_reused";
      return { replayed: { id: orderId, ...placedOrder(order, createdAt) } };
    }
    const { petId } = order;
    const status = this.#animalStatus.get(petId)?.status;
    if (status === undefined) return "animal_not_found";
    if (status !== "available") return { unavailable: status };
    const row = placedOrder(order, now);
    const id = BigInt(this.#insert.run(...valuesOf(PLACED, row)).lastInsertRowid);
    if (idempotency) this.#idempotency.keep(idempotency, petId, id, now);
    const placed = { id, ...row };
    events?.orderPlaced(placed);
    return placed;
  }

  #update({ id, status, version }: StatusChange, now: number, events: EventLog | undefined): Updated {
    const row = this.#find.get(id);
    if (row === null) return "order_not_found";
    const order = ORDER.parse(row);
    if (version !== undefined && version !== versionOf(order)) return { differs: order };
    if (order.status === status) return order;
    if (!mayBecome(order.status, status)) return { invalidFrom: order.status };
    // A clock that was set back does not make an order older.
    const updatedAt = Math.max(now, order.updatedAt);
    this.#setStatus.run(status, updatedAt, id);
    const updated = { ...order, status, updatedAt };
    events?.orderStatusChanged(order.status, updated);
    return updated;
  }
}
