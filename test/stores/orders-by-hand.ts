import { describe, expect, test } from "bun:test";
import type { Store } from "../../src/domain/store.ts";
import type { TestDatabase } from "../support/database.ts";
import { revisionOf } from "../support/revision-of.ts";
import type { OpenedPlace } from "./place.ts";
import { addAnimal, addAnimals, expectAgreement, place, statusOf, walkOrders } from "./stock-and-orders.ts";

/**
 * The stock that changes by hand meet. Animal 1 has the placed order 1, animal 2 the approved order 2, animal 3 the
 * delivered order 3 and animal 4 the cancelled order 4. Animals 5, 6 and 7 have no order and are available, pending and
 * sold.
 */
async function fill(store: Store): Promise<void> {
  const animals = await addAnimals(store, 5);
  await addAnimal(store, "pending");
  await addAnimal(store, "sold");
  for (const id of animals.slice(0, 4)) await place(store, id);
  await store.updateOrder(2n, "approved");
  await store.updateOrder(3n, "approved");
  await store.updateOrder(3n, "delivered");
  await store.updateOrder(4n, "cancelled");
}

const order = (id: number, animal: number | string, status: string) =>
  `INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) VALUES (${id}, ${animal}, ${status}, 1, 1)`;
const set = (table: string, id: number, change: string) => `UPDATE ${table} SET ${change} WHERE id = ${id}`;

const REFUSED: readonly [string, string][] = [
  ["a second open order", order(9, 1, "'placed'")],
  ["a second open order, approved", order(9, 2, "'approved'")],
  ["a delivered order beside an open one", order(9, 1, "'delivered'")],
  ["an open order for an animal that was delivered", order(9, 3, "'placed'")],
  ["a second delivered order", order(9, 3, "'delivered'")],
  ["an order for an animal that is sold without one", order(9, 7, "'placed'")],
  ["an approved order for an animal that is sold without one", order(9, 7, "'approved'")],
  ["an order for an animal that is not there", order(9, 99, "'placed'")],
  ["a cancelled order for an animal that is not there", order(9, 99, "'cancelled'")],
  ["an order for no animal", order(9, "NULL", "'placed'")],
  ["an order with an id that is there", order(4, 5, "'placed'")],
  ["an order with the id 0", order(0, 5, "'placed'")],
  ["an order with another status", order(9, 5, "'sold'")],
  ["an order without a status", order(9, 5, "NULL")],
  ["two orders for one animal in one statement", `${order(9, 5, "'placed'")}, (10, 5, 'placed', 1, 1)`],
  ["an order that changed before it was placed", set("store_order", 1, "updated_at = placed_at - 1")],
  ["a delivery of a placed order", set("store_order", 1, "status = 'delivered'")],
  ["a step back to placed", set("store_order", 2, "status = 'placed'")],
  ["a step back from delivered to approved", set("store_order", 3, "status = 'approved'")],
  ["a cancellation of a delivered order", set("store_order", 3, "status = 'cancelled'")],
  ["a cancelled order that is placed again", set("store_order", 4, "status = 'placed'")],
  ["a cancelled order that is approved", set("store_order", 4, "status = 'approved'")],
  ["a cancelled order that is delivered", set("store_order", 4, "status = 'delivered'")],
  ["another status for an order", set("store_order", 1, "status = 'sold'")],
  ["another animal for an order", set("store_order", 1, "animal_id = 5")],
  ["another animal for a cancelled order", set("store_order", 4, "animal_id = 5")],
  ["another id for an order", set("store_order", 1, "id = 9")],
  ["the removal of a placed order", "DELETE FROM store_order WHERE id = 1"],
  ["the removal of an approved order", "DELETE FROM store_order WHERE id = 2"],
  ["the removal of a delivered order", "DELETE FROM store_order WHERE id = 3"],
  ["the removal of all orders", "DELETE FROM store_order"],
  ["an ordered animal that is available", set("animal", 1, "status = 'available'")],
  ["an ordered animal that is sold", set("animal", 2, "status = 'sold'")],
  ["a delivered animal that is available", set("animal", 3, "status = 'available'")],
  ["a delivered animal that is pending", set("animal", 3, "status = 'pending'")],
  ["one status for all animals", "UPDATE animal SET status = 'available'"],
  ["another id for an ordered animal", set("animal", 1, "id = 9")],
  ["another id for an animal whose order was cancelled", set("animal", 4, "id = 9")],
  ["the removal of an ordered animal", "DELETE FROM animal WHERE id = 1"],
  ["the removal of a delivered animal", "DELETE FROM animal WHERE id = 3"],
  ["the removal of an animal whose order was cancelled", "DELETE FROM animal WHERE id = 4"],
  ["the removal of all animals", "DELETE FROM animal"],
];

/** With the statuses that the animals 1 to 7 have afterwards. */
const ALLOWED: readonly [string, string, string][] = [
  [
    "an approval",
    set("store_order", 1, "status = 'approved'"),
    "pending pending sold available available pending sold",
  ],
  [
    "a delivery",
    set("store_order", 2, "status = 'delivered'"),
    "pending sold sold available available pending sold",
  ],
  [
    "a cancellation",
    set("store_order", 1, "status = 'cancelled'"),
    "available pending sold available available pending sold",
  ],
  [
    "a cancellation of all open orders",
    "UPDATE store_order SET status = 'cancelled' WHERE status IN ('placed', 'approved')",
    "available available sold available available pending sold",
  ],
  ["an order", order(9, 5, "'placed'"), "pending pending sold available pending pending sold"],
  [
    "an order for an animal that had one",
    order(9, 4, "'approved'"),
    "pending pending sold pending available pending sold",
  ],
  [
    "an order for an animal that is pending",
    order(9, 6, "'placed'"),
    "pending pending sold available available pending sold",
  ],
  [
    "a delivered order for an available animal",
    order(9, 5, "'delivered'"),
    "pending pending sold available sold pending sold",
  ],
  [
    "a delivered order for a sold animal",
    order(9, 7, "'delivered'"),
    "pending pending sold available available pending sold",
  ],
  ["a cancelled order", order(9, 1, "'cancelled'"), "pending pending sold available available pending sold"],
  [
    "the removal of a cancelled order",
    "DELETE FROM store_order WHERE id = 4",
    "pending pending sold available available pending sold",
  ],
  [
    "another time",
    set("store_order", 1, "updated_at = updated_at + 1"),
    "pending pending sold available available pending sold",
  ],
  [
    "another name for an ordered animal",
    set("animal", 1, "name = 'Mia'"),
    "pending pending sold available available pending sold",
  ],
  [
    "any status for an animal whose order was cancelled",
    set("animal", 4, "status = 'sold'"),
    "pending pending sold sold available pending sold",
  ],
];

/** What the database itself refuses, and what it allows, where orders and animals are changed by hand. */
export function ordersByHand(engine: string, fresh: () => Promise<OpenedPlace<TestDatabase, Store>>): void {
  describe(`${engine}: the database refuses SQL by hand:`, () => {
    test.each(REFUSED)("%s", async (_, statement) => {
      await using stores = await fresh();
      const { store } = stores;
      await fill(store);
      const before = await walkOrders(store);
      await expect(stores.place.query(statement)).rejects.toThrow();
      expect(await walkOrders(store)).toEqual(before);
      await expectAgreement(store);
    });
  });

  describe(`${engine}: the database allows SQL by hand:`, () => {
    test.each(ALLOWED)("%s", async (_, statement, statuses) => {
      await using stores = await fresh();
      const { store } = stores;
      await fill(store);
      const before = await revisionOf(store);
      await stores.place.query(statement);
      const found = [];
      for (let id = 1n; id <= 7n; id++) found.push(await statusOf(store, id));
      expect(found.join(" ")).toBe(statuses);
      expect((await revisionOf(store)).rewrite).toBeGreaterThan(before.rewrite);
      await expectAgreement(store);
    });

    test("a change of all orders of an animal, whose status follows the order that is still open", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const petId = await addAnimal(store);
      await store.updateOrder((await place(store, petId)).id, "cancelled");
      await place(store, petId);
      await stores.place.query("UPDATE store_order SET updated_at = updated_at + 1");
      expect(await statusOf(store, petId)).toBe("pending");
      await stores.place.query("UPDATE store_order SET status = 'cancelled', updated_at = updated_at + 1");
      expect(await statusOf(store, petId)).toBe("available");
      await expectAgreement(store);
    });

    test("the removal of orders, whose ids are not given again", async () => {
      await using stores = await fresh();
      const { store } = stores;
      const petId = await addAnimal(store);
      for (let id = 1n; id <= 3n; id++) {
        expect((await place(store, petId)).id).toBe(id);
        await store.updateOrder(id, "cancelled");
        await stores.place.query("DELETE FROM store_order");
      }
    });
  });
}
