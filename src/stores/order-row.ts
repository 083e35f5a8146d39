import type { Order, OrderStatus } from "../domain/order.ts";

/** An order as both engines read it. */
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
