// An ordinary suite of tests, as people write them for a program that uses the client.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { AnimalStore, OrderNotFoundError } from "@animal-store/client";

let store;
beforeEach(() => {
  store = AnimalStore.fromEnv();
});

test("lists animals", async () => {
  const names = [];
  for await (const { name } of store.pets.list()) names.push(name);
  assert.ok(names.includes("Luna"));
});

test("adds an animal", async () => {
  const added = await store.pets.create({ name: "Rex", categoryId: 1n });
  assert.equal((await store.pets.get(added.id)).name, "Rex");
});

test("an order that does not exist is not found", async () => {
  await assert.rejects(store.orders.get(999n), OrderNotFoundError);
});

test("an unknown order's error names it", async () => {
  await assert.rejects(store.orders.get(999n), /999/);
});

test("three readers at once see the same", async () => {
  const [one, ...others] = await Promise.all(
    [1, 2, 3].map(() => store.orders.list()[Symbol.asyncIterator]().next()),
  );
  for (const other of others) assert.deepEqual(other, one);
});
