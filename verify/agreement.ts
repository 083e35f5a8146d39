import { type Animal, show } from "../contract/animal.ts";
import { assert } from "../contract/contract-violation.ts";
import { animalStatusUnder, type Order, showOrder } from "../contract/order.ts";

/** What a check of a whole store counted. */
export interface Agreement {
  readonly animals: number;
  readonly orders: number;
  /** Animals with an open order, and animals with a delivered order. */
  readonly open: number;
  readonly delivered: number;
}

/** The agreement of no store at all. */
export const NO_AGREEMENT: Agreement = { animals: 0, orders: 0, open: 0, delivered: 0 };

/**
 * Checks that each animal of a store is in at most one order that is open or delivered, and that every animal's status
 * agrees with its orders.
 *
 * @param animals all of the store, read while nothing changed, as the orders were
 * @throws BrokenPromise
 */
export function checkAgreement(animals: readonly Animal[], orders: readonly Order[]): Agreement {
  const byId = new Map(animals.map((animal) => [animal.id, animal]));
  /** By animal: its order that is not cancelled. */
  const binding = new Map<bigint, Order>();
  for (const order of orders) {
    assert(byId.has(order.petId), "orders for animals that exist", showOrder(order));
    if (order.status === "cancelled") continue;
    const other = binding.get(order.petId);
    assert(
      other === undefined,
      `animal ${order.petId} in at most one order that is open or delivered`,
      `two: ${other && showOrder(other)}; ${showOrder(order)}`,
    );
    binding.set(order.petId, order);
  }
  let delivered = 0;
  for (const order of binding.values()) {
    const animal = byId.get(order.petId) as Animal;
    const status = animalStatusUnder(order.status);
    assert(
      animal.status === status,
      `animal ${animal.id} ${status}, as ${showOrder(order)} says`,
      show(animal),
    );
    if (order.status === "delivered") delivered++;
  }
  return { animals: animals.length, orders: orders.length, open: binding.size - delivered, delivered };
}

/** What two checks counted together. */
export function addAgreements(one: Agreement, other: Agreement): Agreement {
  return {
    animals: one.animals + other.animals,
    orders: one.orders + other.orders,
    open: one.open + other.open,
    delivered: one.delivered + other.delivered,
  };
}

/** A count for people. */
export function describeAgreement({ animals, orders, open, delivered }: Agreement): string {
  const [of, all] = [orders, animals].map((count) => count.toLocaleString("en"));
  return (
    `${of} orders agree with the statuses of ${all} animals: ${open.toLocaleString("en")} pending under one open order, ` +
    `${delivered.toLocaleString("en")} sold by one delivered order`
  );
}
