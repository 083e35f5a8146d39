import type { Database, Statement } from "bun:sqlite";
import { ORDER_STATUSES, type Order, type OrderQuery, type OrderStatus } from "../../domain/order.ts";
import { boundOf, type Page, pageOf, type Sort } from "../../domain/page.ts";
import type { RowOf } from "../table.ts";
import { ORDER } from "../tables.ts";

type Row = RowOf<Order>;

/** A statement for each order of a list. */
type Sorted<Parameters extends (bigint | number | string)[]> = Readonly<
  Record<Sort, Statement<Row, Parameters>>
>;

/** Reads orders. As with animals, a read never waits. A list may take several reads, so it needs a transaction. */
export class OrderReader {
  readonly #all: Sorted<[bigint, number]>;
  readonly #byStatus: Sorted<[OrderStatus, bigint, number]>;
  readonly #byAnimal: Sorted<[bigint, OrderStatus, bigint, number]>;
  readonly #one: Statement<Row, [bigint]>;

  constructor(database: Database) {
    const prepare = (conditionAndOrder: string) =>
      database.prepare(
        // The unary plus keeps SQLite from planning again for each value: see `AnimalReader`.
        `SELECT ${ORDER.selection} FROM store_order WHERE ${conditionAndOrder} LIMIT +?`,
      ) as Statement<Row, never[]>;
    const select = (condition: string) => ({
      id: prepare(`${condition} id > ? ORDER BY id`),
      "-id": prepare(`${condition} id <= ? ORDER BY id DESC`),
    });
    this.#all = select("");
    this.#byStatus = select("status = +? AND");
    this.#byAnimal = select("animal_id = +? AND status = +? AND");
    this.#one = database.prepare(`SELECT ${ORDER.selection} FROM store_order WHERE id = ?`);
  }

  list({ status, petId, sort = "id", after, limit }: OrderQuery): Page<Order> {
    const bound = boundOf(sort, after);
    const rows =
      petId === undefined
        ? this.#ofStore(status, sort, bound, limit + 1)
        : this.#ofAnimal(petId, status === undefined ? ORDER_STATUSES : [status], sort, bound, limit + 1);
    return pageOf(rows.map(ORDER.parse), limit);
  }

  find(id: bigint): Order | undefined {
    const row = this.#one.get(id);
    return row === null ? undefined : ORDER.parse(row);
  }

  #ofStore(status: OrderStatus | undefined, sort: Sort, bound: bigint, limit: number): Row[] {
    return status === undefined
      ? this.#all[sort].all(bound, limit)
      : this.#byStatus[sort].all(status, bound, limit);
  }

  /** Each status has a range of its own: an index without the status would cost every order a write. */
  #ofAnimal(
    petId: bigint,
    statuses: readonly OrderStatus[],
    sort: Sort,
    bound: bigint,
    limit: number,
  ): Row[] {
    return statuses
      .flatMap((status) => this.#byAnimal[sort].all(petId, status, bound, limit))
      .sort((one, other) => (one.id < other.id === (sort === "id") ? -1 : 1))
      .slice(0, limit);
  }
}
