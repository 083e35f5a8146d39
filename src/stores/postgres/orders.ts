import type { Order, OrderQuery, OrderStatus } from "../../domain/order.ts";
import { LIMIT_MAX, type Page, pageOf } from "../../domain/page.ts";
import { ORDER_COLUMNS, type OrderRow, orderOf } from "../order-row.ts";
import type { ReadBatcher } from "./read-batcher.ts";

const FIND = `SELECT ${ORDER_COLUMNS} FROM animal_store.store_order WHERE id = $1`;

/**
 * A statement for each combination of filters, as a range of the index that has its order, so that the planner cannot choose
 * another index. The inner limit tells the planner how few rows are needed, as for animals.
 */
const LISTS = {
  all: listText("id > $1 ORDER BY id"),
  byStatus: listText("(status, id) > ($3::text, $1) AND status <= $3::text ORDER BY status, id"),
  byAnimal: listText("animal_id = $3::bigint AND id > $1 ORDER BY animal_id, id"),
  byAnimalAndStatus: listText(
    "animal_id = $3::bigint AND (status, id) > ($4::text, $1) AND status <= $4::text ORDER BY status, id",
  ),
} as const;

function listText(conditionAndOrder: string): string {
  return `SELECT * FROM (
            SELECT ${ORDER_COLUMNS} FROM animal_store.store_order
             WHERE ${conditionAndOrder} LIMIT ${LIMIT_MAX + 1}
          ) AS longest LIMIT $2`;
}

/** Reads the orders. */
export class Orders {
  readonly #reads: ReadBatcher;

  constructor(reads: ReadBatcher) {
    this.#reads = reads;
  }

  async list({ status, petId, after, limit }: OrderQuery): Promise<Page<Order>> {
    const [text, filters] = listOf(status, petId);
    const rows = await this.#reads.run<OrderRow[]>((sql) => sql.unsafe(text, [after, limit + 1, ...filters]));
    return pageOf(rows.map(orderOf), limit);
  }

  async find(id: bigint): Promise<Order | undefined> {
    const [row] = await this.#reads.run<OrderRow[]>((sql) => sql.unsafe(FIND, [id]));
    return row && orderOf(row);
  }
}

function listOf(
  status: OrderStatus | undefined,
  petId: bigint | undefined,
): [text: string, filters: (bigint | string)[]] {
  if (petId === undefined) return status === undefined ? [LISTS.all, []] : [LISTS.byStatus, [status]];
  return status === undefined ? [LISTS.byAnimal, [petId]] : [LISTS.byAnimalAndStatus, [petId, status]];
}
