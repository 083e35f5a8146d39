import type { Database, Statement } from "bun:sqlite";
import type { Order, OrderQuery, OrderStatus } from "../../domain/order.ts";
import { type Page, pageOf } from "../../domain/page.ts";
import { ORDER_COLUMNS, type OrderRow, orderOf } from "../order-row.ts";

/** Reads orders. As with animals, a read never waits. */
export class OrderReader {
  readonly #all: Statement<OrderRow, [bigint, number]>;
  readonly #byStatus: Statement<OrderRow, [OrderStatus, bigint, number]>;
  readonly #byAnimal: Statement<OrderRow, [bigint, bigint, number]>;
  readonly #byBoth: Statement<OrderRow, [bigint, OrderStatus, bigint, number]>;
  readonly #one: Statement<OrderRow, [bigint]>;

  constructor(database: Database) {
    const select = (condition: string) =>
      database.prepare(
        // The unary plus keeps SQLite from planning again for each value: see `AnimalReader`.
        `SELECT ${ORDER_COLUMNS} FROM store_order WHERE ${condition} id > ? ORDER BY id LIMIT +?`,
      ) as Statement<OrderRow, never[]>;
    this.#all = select("");
    this.#byStatus = select("status = +? AND");
    this.#byAnimal = select("animal_id = +? AND");
    this.#byBoth = select("animal_id = +? AND status = +? AND");
    this.#one = database.prepare(`SELECT ${ORDER_COLUMNS} FROM store_order WHERE id = ?`);
  }

  list({ status, petId, after, limit }: OrderQuery): Page<Order> {
    return pageOf(this.#rows(status, petId, after, limit + 1).map(orderOf), limit);
  }

  find(id: bigint): Order | undefined {
    const row = this.#one.get(id);
    return row === null ? undefined : orderOf(row);
  }

  #rows(
    status: OrderStatus | undefined,
    petId: bigint | undefined,
    after: bigint,
    limit: number,
  ): OrderRow[] {
    if (petId === undefined) {
      return status === undefined ? this.#all.all(after, limit) : this.#byStatus.all(status, after, limit);
    }
    return status === undefined
      ? this.#byAnimal.all(petId, after, limit)
      : this.#byBoth.all(petId, status, after, limit);
  }
}
