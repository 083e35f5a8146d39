import type { Database, Statement } from "bun:sqlite";
import { ORDER_STATUSES, type Order, type OrderQuery, type OrderStatus } from "../../domain/order.ts";
import { type Page, pageOf } from "../../domain/page.ts";
import type { RowOf } from "../table.ts";
import { ORDER } from "../tables.ts";

type Row = RowOf<Order>;

/** Reads orders. As with animals, a read never waits. A list may take several reads, so it needs a transaction. */
export class OrderReader {
  readonly #all: Statement<Row, [bigint, number]>;
  readonly #byStatus: Statement<Row, [OrderStatus, bigint, number]>;
  readonly #byAnimal: Statement<Row, [bigint, OrderStatus, bigint, number]>;
  readonly #one: Statement<Row, [bigint]>;

  constructor(database: Database) {
    const select = (condition: string) =>
      database.prepare(
        // The unary plus keeps SQLite from planning again for each value: see `AnimalReader`.
        `SELECT ${ORDER.selection} FROM store_order WHERE ${condition} id > ? ORDER BY id LIMIT +?`,
      ) as Statement<Row, never[]>;
    this.#all = select("");
    this.#byStatus = select("status = +? AND");
    this.#byAnimal = select("animal_id = +? AND status = +? AND");
    this.#one = database.prepare(`SELECT ${ORDER.selection} FROM store_order WHERE id = ?`);
  }

  list({ status, petId, after, limit }: OrderQuery): Page<Order> {
    const rows =
      petId === undefined
        ? this.#ofStore(status, after, limit + 1)
        : this.#ofAnimal(petId, status === undefined ? ORDER_STATUSES : [status], after, limit + 1);
    return pageOf(rows.map(ORDER.parse), limit);
  }

  find(id: bigint): Order | undefined {
    const row = this.#one.get(id);
    return row === null ? undefined : ORDER.parse(row);
  }

  #ofStore(status: OrderStatus | undefined, after: bigint, limit: number): Row[] {
    return status === undefined ? this.#all.all(after, limit) : this.#byStatus.all(status, after, limit);
  }

  /** Each status has a range of its own: an index without the status would cost every order a write. */
  #ofAnimal(petId: bigint, statuses: readonly OrderStatus[], after: bigint, limit: number): Row[] {
    return statuses
      .flatMap((status) => this.#byAnimal.all(petId, status, after, limit))
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }
}
