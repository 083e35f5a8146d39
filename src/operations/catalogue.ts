import { isOffered, type Stability } from "../domain/stability.ts";
import { createPet } from "./create-pet.ts";
import { getKey } from "./get-key.ts";
import { getOrder } from "./get-order.ts";
import { getPet } from "./get-pet.ts";
import { listEvents } from "./list-events.ts";
import { listOrders } from "./list-orders.ts";
import { listPets } from "./list-pets.ts";
import type { Operation } from "./operation.ts";
import { placeOrder } from "./place-order.ts";
import { updateOrder } from "./update-order.ts";

/** Every operation. A new operation is a file in this folder and a line here. */
export const CATALOGUE: readonly Operation[] = [
  listPets,
  createPet,
  getPet,
  listOrders,
  placeOrder,
  getOrder,
  updateOrder,
  getKey,
  listEvents,
];

/** The operations of a service whose least stable level is `least`. */
export function operationsOffered(least: Stability): Operation[] {
  return CATALOGUE.filter(({ stability }) => isOffered(stability, least));
}
