import type { Order } from "../domain/order.ts";
import { rfc3339 } from "../domain/time.ts";

/** An order as `orderSchema` describes it. */
export function representOrder({ id, petId, status, placedAt, updatedAt }: Order) {
  return { id, petId, status, placedAt: rfc3339(placedAt), updatedAt: rfc3339(updatedAt) };
}

/** The order of the document's examples. */
export const EXAMPLE_ORDER = {
  id: 1n,
  petId: 7n,
  status: "placed",
  placedAt: "2026-11-22T09:30:00.000Z",
  updatedAt: "2026-11-22T09:30:00.000Z",
};
