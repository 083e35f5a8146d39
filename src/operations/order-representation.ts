import type { Order } from "../domain/order.ts";

/** An order as `orderSchema` describes it. */
export function representOrder({ id, petId, status, placedAt, updatedAt }: Order) {
  return { id, petId, status, placedAt: rfc3339(placedAt), updatedAt: rfc3339(updatedAt) };
}

/** @param time milliseconds since 1970, UTC */
export function rfc3339(time: number): string {
  return new Date(time).toISOString();
}

/** The order of the document's examples. */
export const EXAMPLE_ORDER = {
  id: 1n,
  petId: 7n,
  status: "placed",
  placedAt: "2026-11-22T09:30:00.000Z",
  updatedAt: "2026-11-22T09:30:00.000Z",
};
