import type { Order, OrderStatus } from "../domain/order.ts";

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
