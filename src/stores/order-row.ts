import type { Order, OrderStatus } from "../domain/order.ts";
import type { Column } from "./column.ts";

/** The columns of an order, as both engines read them. */
export const ORDER_COLUMNS =
  'id, animal_id AS "petId", status, placed_at AS "placedAt", updated_at AS "updatedAt"';

export interface OrderRow {
  readonly id: bigint;
  readonly petId: bigint;
  readonly status: OrderStatus;
  readonly placedAt: bigint;
  readonly updatedAt: bigint;
}

export function orderOf({ id, petId, status, placedAt, updatedAt }: OrderRow): Order {
  return { id, petId, status, placedAt: Number(placedAt), updatedAt: Number(updatedAt) };
}

/** The columns that an insertion of orders sets, besides the id. */
export const NEW_ORDER_COLUMNS: readonly Column<Omit<Order, "id">>[] = [
  { name: "animal_id", type: "bigint", value: ({ petId }) => petId },
  { name: "status", type: "text", value: ({ status }) => status },
  { name: "placed_at", type: "bigint", value: ({ placedAt }) => placedAt },
  { name: "updated_at", type: "bigint", value: ({ updatedAt }) => updatedAt },
];
