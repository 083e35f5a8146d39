import type { Order, OrderStatus, Status } from "../../client/contract.ts";

export const ANIMAL_STATUSES: readonly Status[] = ["available", "pending", "sold"];
export const ORDER_STATUSES: readonly OrderStatus[] = ["placed", "approved", "delivered", "cancelled"];
/** Those of orders that wait for a step, and their name. An order goes through them in this order. */
export const OPEN_STATUSES: readonly OrderStatus[] = ["placed", "approved"];
export const OPEN = "open";

const ANIMAL_STATUS: Readonly<Record<OrderStatus, Status>> = {
  placed: "pending",
  approved: "pending",
  delivered: "sold",
  cancelled: "available",
};

/** The status that a change of an order gives its animal, by the rules of the interface. */
export function animalStatusAfter({ status }: Order): Status {
  return ANIMAL_STATUS[status];
}
