import { Database, type Statement } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { openStore } from "../../src/stores/open.ts";
import { ORDER, withPet } from "../../src/stores/tables.ts";
import { fileOfStore } from "../../src/stores/url.ts";
import { orderConformance } from "../stores/order-conformance.ts";
import { openPlace } from "../stores/place.ts";
import { addAnimals, expectAgreement, place, walkOrders } from "../stores/stock-and-orders.ts";
import { createSqliteDatabase } from "../support/database.ts";
import { planOf } from "./plan-of.ts";

orderConformance("SQLite", createSqliteDatabase);

/** Animal 1 has the placed order 1, animal 2 the cancelled order 2; animal 3 has none. */
async function fresh() {
  const opened = await openPlace(createSqliteDatabase, openStore);
  const animals = await addAnimals(opened.store, 3);
  for (const id of animals.slice(0, 2)) await place(opened.store, id);
  await opened.store.updateOrder(2n, "cancelled");
  return { ...opened, file: fileOfStore(opened.url) as string };
}

const order = "INTO store_order (id, animal_id, status, placed_at, updated_at) VALUES";
const animal = "INTO animal (id, name, category_id, status) VALUES";

describe("SQLite explains in plain words why it refuses a statement by hand:", () => {
  test.each([
    // With OR REPLACE, SQLite removes what is in the way without a word to triggers.
    [`INSERT OR REPLACE ${order} (9, 1, 'placed', 1, 1)`, "it can have only one such order"],
    [`INSERT OR REPLACE ${order} (1, 3, 'placed', 1, 1)`, "an order with this id exists"],
    [`INSERT OR IGNORE ${order} (9, 99, 'placed', 1, 1)`, "there is no animal with this animal_id"],
    [`INSERT ${order} (9, 3, 'placed', 1, 1), (10, 3, 'placed', 1, 1)`, "it can have only one such order"],
    ["UPDATE OR REPLACE store_order SET id = 1 WHERE id = 2", "the id of an order never changes"],
    ["UPDATE store_order SET rowid = 9 WHERE id = 2", "the id of an order never changes"],
    ["UPDATE OR IGNORE store_order SET animal_id = 3", "the animal_id of an order never changes"],
    ["UPDATE OR REPLACE store_order SET status = 'placed' WHERE id = 2", "an order can go from placed to"],
    ["DELETE FROM store_order", "only a cancelled order can be deleted"],
    [
      `INSERT OR REPLACE ${animal} (1, 'Mia', 1, 'available')`,
      "an animal with this id exists and has orders",
    ],
    [
      `INSERT OR REPLACE ${animal} (2, 'Mia', 1, 'available')`,
      "an animal with this id exists and has orders",
    ],
    ["UPDATE OR REPLACE animal SET id = 1 WHERE id = 3", "the id of an animal that has orders cannot change"],
    ["UPDATE animal SET _rowid_ = 9 WHERE id = 2", "the id of an animal that has orders cannot change"],
    ["UPDATE OR IGNORE animal SET status = 'sold'", "the animal has an order: it is pending until"],
    ["DELETE FROM animal", "the animal has orders, so it cannot be deleted"],
  ])("%s", async (statement, message) => {
    await using opened = await fresh();
    const before = await walkOrders(opened.store);
    for (const pragma of ["recursive_triggers = OFF", "recursive_triggers = ON", "foreign_keys = ON"]) {
      using database = new Database(opened.file);
      database.run(`PRAGMA ${pragma}`);
      expect(() => database.run(statement), pragma).toThrow(message);
    }
    expect(await walkOrders(opened.store)).toEqual(before);
    await expectAgreement(opened.store);
  });
});

test("without its triggers, SQLite still has one order for each animal that is not cancelled", async () => {
  await using opened = await fresh();
  using database = new Database(opened.file);
  database.run("DROP TRIGGER store_order_insertion_checked");
  for (const status of ["placed", "approved", "delivered"]) {
    expect(() => database.run(`INSERT ${order} (9, 1, '${status}', 1, 1)`)).toThrow(
      "UNIQUE constraint failed",
    );
  }
  database.run(`INSERT ${order} (9, 1, 'cancelled', 1, 1)`);
  database.run("UPDATE store_order SET status = 'approved' WHERE id = 1");
  database.run("UPDATE store_order SET status = 'delivered' WHERE id = 1");
  expect(() => database.run(`INSERT ${order} (10, 1, 'placed', 1, 1)`)).toThrow("UNIQUE constraint failed");
});

test("SQLite lets a statement by hand replace an animal without orders, or ignore an existing one", async () => {
  await using opened = await fresh();
  using database = new Database(opened.file);
  database.run(`INSERT OR REPLACE ${animal} (3, 'Mia', 1, 'sold')`);
  database.run(`INSERT OR REPLACE ${animal} (9, 'Max', 1, 'available')`);
  expect(await opened.store.findAnimal(3n)).toMatchObject({ name: "Mia", status: "sold" });
  expect(await opened.store.findAnimal(9n)).toMatchObject({ name: "Max" });
});

describe("SQLite lists orders from an index, without sorting, with the condition", () => {
  test.each([
    ["", "INTEGER PRIMARY KEY (rowid>?)"],
    ["status = +? AND", "store_order_by_status (status=? AND rowid>?)"],
    [
      "animal_id = +? AND status = +? AND",
      "store_order_by_animal_and_status (animal_id=? AND status=? AND rowid>?)",
    ],
  ])("%s id > ?", async (condition, index) => {
    await using opened = await fresh();
    const query = `SELECT * FROM store_order WHERE ${condition} id > ? ORDER BY id LIMIT +?`;
    expect(planOf(opened.file, query)).toEqual([expect.stringContaining(index)]);
    const newest = `SELECT * FROM store_order WHERE ${condition} id <= ? ORDER BY id DESC LIMIT +?`;
    expect(planOf(opened.file, newest)).toEqual([expect.stringContaining(index.replace(">", "<"))]);
    const alone = query.replace("*", ORDER.selection);
    expect(planOf(opened.file, withPet(alone, "animal")).join("; ")).toMatch(
      /^(?!.*SCAN (?:animal|pet|store_order)).*SEARCH pet USING INTEGER PRIMARY KEY \(rowid=\?\)/,
    );
  });
});

test("a list of an animal's orders has each order once, though another process changes one meanwhile", async () => {
  using prepare = spyOn(Database.prototype, "prepare");
  await using opened = await fresh();
  const at = prepare.mock.calls.findIndex(([text]) => text.includes("WHERE animal_id = +? AND status = +?"));
  const ofStatus = prepare.mock.results[at]?.value as Statement;
  prepare.mockRestore();
  const { all } = ofStatus;
  using hand = new Database(opened.file);
  // The list reads the placed orders first, and the approved ones afterwards.
  ofStatus.all = (...parameters) => {
    ofStatus.all = all;
    const rows = ofStatus.all(...parameters);
    hand.run("UPDATE store_order SET status = 'approved' WHERE id = 1");
    return rows;
  };
  const list = async () =>
    (await opened.store.listOrders({ status: undefined, petId: 1n, after: 0n, limit: 10 })).items;
  expect(await list()).toMatchObject([{ id: 1n, status: "placed" }]);
  expect(await list()).toMatchObject([{ id: 1n, status: "approved" }]);
});
