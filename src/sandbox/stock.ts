import type { Status } from "../domain/animal.ts";
import { INT64_MAX } from "../domain/int64.ts";
import type { Order, OrderStatus } from "../domain/order.ts";
import type { Store } from "../domain/store.ts";

/**
 * The animals of every new sandbox, with ids from 1: more than a default page of 20, so that a list has a second page.
 * Names are in several scripts. The last category is the greatest int64, which careless clients round.
 */
const ANIMALS: readonly (readonly [names: string, categoryId: bigint, status: Status])[] = [
  ["Luna Rex Mia Bella Simba Nala Otto Fenja Bigotes Łatek Žofka Мурка", 1n, "available"],
  ["Γάτος שוקו لولة शेरू 小白 ポチ 나비 🐢", 2n, "available"],
  ["Chouchou Çakıl", 2n, "sold"],
  ["Ágúst", 3n, "pending"],
  ["Max", INT64_MAX, "available"],
];

/** The orders of every new sandbox, with ids from 1: each with its animal and the statuses that follow `placed`. */
const ORDERS: readonly (readonly [petId: bigint, ...steps: OrderStatus[]])[] = [
  [2n],
  [3n, "approved"],
  [4n, "approved", "delivered"],
  [5n, "cancelled"],
];

/** Fills an empty store with animals and orders. */
export async function stock(store: Store): Promise<void> {
  // Writes that wait together share a commit, and get their ids in the order of the calls.
  await Promise.all(
    ANIMALS.flatMap(([names, categoryId, status]) =>
      names.split(" ").map((name) => store.addAnimal({ name, categoryId, status })),
    ),
  );
  await Promise.all(
    ORDERS.map(async ([petId, ...steps]) => {
      const { id } = (await store.placeOrder(petId)) as Order;
      for (const status of steps) await store.updateOrder(id, status);
    }),
  );
}
