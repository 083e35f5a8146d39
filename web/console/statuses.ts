import type { Order, OrderStatus, Status } from "../../client/contract.ts";

export const ANIMAL_STATUSES: readonly Status[] = ["available", "pending", "sold"];
export const ORDER_STATUSES: readonly OrderStatus[] = ["placed", "approved", "delivered", "cancelled"];

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
