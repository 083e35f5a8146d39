import { OPTIONAL_EXAMPLES, type Status } from "../src/domain/animal.ts";
import { INT64_MAX } from "../src/domain/int64.ts";
import type { Order, OrderStatus } from "../src/domain/order.ts";
import type { Store } from "../src/domain/store.ts";

/** With what a stock of examples begins. */
export interface Beginning {
  /** Ids follow it. */
  readonly lastAnimalId: bigint;
  readonly lastOrderId: bigint;
  /** The greatest category, which careless clients round. */
  readonly longest: bigint;
}

const USUAL: Beginning = { lastAnimalId: 0n, lastOrderId: 0n, longest: INT64_MAX };

/**
 * The animals of every new sandbox, with ids from 1: more than a default page of 20, so that a list has a second page.
 * Names are in several scripts. Those of the first line have what an animal may lack.
 */
const ANIMALS: readonly (readonly [names: string, categoryId: bigint | "longest", status: Status])[] = [
  ["Luna Rex Mia Bella Simba Nala Otto Fenja Bigotes Łatek Žofka Мурка", 1n, "available"],
  ["Γάτος שוקו لولة शेरू 小白 ポチ 나비 🐢", 2n, "available"],
  ["Chouchou Çakıl", 2n, "sold"],
  ["Ágúst", 3n, "pending"],
  ["Max", "longest", "available"],
];

/** The orders of every new sandbox, with ids from 1: each with its animal and the statuses that follow `placed`. */
const ORDERS: readonly (readonly [petId: bigint, ...steps: OrderStatus[]])[] = [
  [2n],
  [3n, "approved"],
  [4n, "approved", "delivered"],
  [5n, "cancelled"],
];

/** Fills a store without animals with the examples, and with their orders. */
export async function stock(
  store: Store,
  { lastAnimalId, longest }: Omit<Beginning, "lastOrderId"> = USUAL,
): Promise<void> {
  // Writes that wait together share a commit, and get their ids in the order of the calls.
  await Promise.all(
    ANIMALS.flatMap(([names, category, status], line) => {
      const categoryId = category === "longest" ? longest : category;
      const others = line === 0 ? OPTIONAL_EXAMPLES : {};
      return names.split(" ").map((name) => store.addAnimal({ name, categoryId, status, ...others }));
    }),
  );
  await Promise.all(
    ORDERS.map(async ([petId, ...steps]) => {
      const { id } = (await store.placeOrder({ petId: lastAnimalId + petId })) as Order;
      for (const status of steps) await store.updateOrder(id, status);
    }),
  );
}
