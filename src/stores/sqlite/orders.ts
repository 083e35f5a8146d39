import type { Database, Statement } from "bun:sqlite";
import {
  type Included,
  ORDER_STATUSES,
  type Order,
  type OrderQuery,
  type OrderStatus,
  type ReadOrder,
} from "../../domain/order.ts";
import { boundOf, type Page, pageOf, type Sort } from "../../domain/page.ts";
import type { RowOf } from "../table.ts";
import { ORDER, readOrderOf, withPet } from "../tables.ts";

type Row = RowOf<Order>;

/** A statement for each order of a list. */
type Sorted<Parameters extends (bigint | number | string)[]> = Readonly<
  Record<Sort, Statement<Row, Parameters>>
>;

/** The statements for orders, alone or each with its animal. */
interface Statements {
  readonly all: Sorted<[bigint, number]>;
  readonly byStatus: Sorted<[OrderStatus, bigint, number]>;
  readonly byAnimal: Sorted<[bigint, OrderStatus, bigint, number]>;
  readonly one: Statement<Row, [bigint]>;
}

/** Reads orders. As with animals, a read never waits. A list may take several reads, so it needs a transaction. */
export class Orders {
  readonly #alone: Statements;
  readonly #withPet: Statements;

  constructor(database: Database) {
    this.#alone = prepareStatements(database, (orders) => orders);
    this.#withPet = prepareStatements(database, (orders, direction) => withPet(orders, "animal", direction));
  }

  list({ status, petId, sort = "id", after, limit, include }: OrderQuery): Page<ReadOrder> {
    const statements = this.#including(include);
    const bound = boundOf(sort, after);
    const rows =
      petId === undefined
        ? ofStore(statements, status, sort, bound, limit + 1)
        : ofAnimal(
            statements,
            petId,
            status === undefined ? ORDER_STATUSES : [status],
            sort,
            bound,
            limit + 1,
          );
    return pageOf(rows.map(readOrderOf), limit);
  }

  find(id: bigint, include?: Included): ReadOrder | undefined {
    const row = this.#including(include).one.get(id);
    return row === null ? undefined : readOrderOf(row);
  }

  #including(include: Included | undefined): Statements {
    return include ? this.#withPet : this.#alone;
  }
}

/** @param read makes of a statement that reads orders the one to prepare */
function prepareStatements(
  database: Database,
  read: (orders: string, direction?: "" | "DESC") => string,
): Statements {
  const select = `SELECT ${ORDER.selection} FROM store_order WHERE`;
  // The unary plus keeps SQLite from planning again for each value: see `Animals`.
  const prepare = (range: string, direction?: "DESC") =>
    database.prepare(
      read(`${select} ${range} ORDER BY id ${direction ?? ""} LIMIT +?`, direction),
    ) as Statement<Row, never[]>;
  const sorted = (condition: string) => ({
    id: prepare(`${condition} id > ?`),
    "-id": prepare(`${condition} id <= ?`, "DESC"),
  });
  return {
    all: sorted(""),
    byStatus: sorted("status = +? AND"),
    byAnimal: sorted("animal_id = +? AND status = +? AND"),
    one: database.prepare(read(`${select} id = ?`)),
  };
}

function ofStore(
  { all, byStatus }: Statements,
  status: OrderStatus | undefined,
  sort: Sort,
  bound: bigint,
  limit: number,
): Row[] {
  return status === undefined ? all[sort].all(bound, limit) : byStatus[sort].all(status, bound, limit);
}

/** Each status has a range of its own: an index without the status would cost every order a write. */
function ofAnimal(
  { byAnimal }: Statements,
  petId: bigint,
  statuses: readonly OrderStatus[],
  sort: Sort,
  bound: bigint,
  limit: number,
): Row[] {
  return statuses
    .flatMap((status) => byAnimal[sort].all(petId, status, bound, limit))
    .sort((one, other) => (one.id < other.id === (sort === "id") ? -1 : 1))
    .slice(0, limit);
}
