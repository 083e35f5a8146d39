import { expect } from "bun:test";
import type { Animal, Status } from "../../src/domain/animal.ts";
import { animalStatusUnder, type Order, type OrderQuery } from "../../src/domain/order.ts";
import type { OrderStore, Store } from "../../src/domain/store.ts";
import { exact } from "./exact.ts";

export async function addAnimal(store: Store, status: Status = "available"): Promise<bigint> {
  return ((await store.addAnimal({ name: "Rex", categoryId: 1n, status })) as Animal).id;
}

/** Adds animals, which get ascending ids. */
export async function addAnimals(store: Store, count: number): Promise<bigint[]> {
  return Promise.all(Array.from({ length: count }, () => addAnimal(store)));
}

/** Places an order that must succeed. */
export async function place(store: OrderStore, petId: bigint): Promise<Order> {
  const placed = await store.placeOrder({ petId });
  if (typeof placed !== "object" || !("status" in placed)) throw new Error(`not placed: ${String(placed)}`);
  return placed;
}

export async function statusOf(store: Store, id: bigint): Promise<Status | undefined> {
  return (await store.findAnimal(id))?.status;
}

/** Every order that a query with these filters finds, page by page. */
export async function walkOrders(
  store: OrderStore,
  { status, petId }: Partial<OrderQuery> = {},
): Promise<Order[]> {
  const all: Order[] = [];
  for (let more = true; more; ) {
    const page = await store.listOrders({ status, petId, after: all.at(-1)?.id ?? 0n, limit: 7 });
    all.push(...page.items);
    more = page.more;
  }
  return all;
}

/** Expects the whole store to keep the promise of orders: no animal is sold twice, and statuses agree. */
export async function expectAgreement(store: Store): Promise<void> {
  const animals = new Map<bigint, Status>();
  for (let after = 0n, more = true; more; ) {
    const page = await store.listAnimals({ status: undefined, after, limit: 100 });
    for (const { id, status } of page.items.map(exact)) animals.set(id, status);
    after = BigInt(page.items.at(-1)?.id ?? 0n);
    more = page.more;
  }
  const ordered = new Set<bigint>();
  for (const { id, petId, status } of await walkOrders(store)) {
    expect([id, petId, animals.has(petId)]).toEqual([id, petId, true]);
    const meaning = animalStatusUnder(status);
    if (meaning === undefined) continue;
    expect([petId, "ordered before", ordered.has(petId)]).toEqual([petId, "ordered before", false]);
    ordered.add(petId);
    expect([petId, animals.get(petId)]).toEqual([petId, meaning]);
  }
}
