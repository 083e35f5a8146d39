import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { openBulkStore, openStore } from "../../src/stores/open.ts";
import { fileOfStore } from "../../src/stores/url.ts";
import { createSqliteDatabase } from "../support/database.ts";
import { openDescriptors } from "../support/processes.ts";
import { createStore } from "../support/store-place.ts";
import { startRelay } from "../workers/worker-store.ts";

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

/** A store that another process has made, and what this process has open of it. */
async function fresh() {
  const database = await createSqliteDatabase();
  await createStore(database.url);
  const file = fileOfStore(database.url) as string;
  return {
    url: database.url,
    run(statement: string) {
      const hand = new Database(file);
      hand.run(statement);
      hand.close();
    },
    /** SQLite keeps a descriptor for the next connection while another connection of the process holds a lock. */
    openFiles() {
      return openDescriptors(process.pid)
        .filter((path) => path.startsWith(file))
        .sort();
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

test("a store that fails to open leaves no file open", async () => {
  await using place = await fresh();
  place.run("ALTER TABLE incomplete_copy RENAME TO elsewhere");
  await expect(openStore(place.url, Date.now)).rejects.toThrow("the column incomplete_copy.");
  await expect(openBulkStore(place.url, "read", Date.now)).rejects.toThrow("the column incomplete_copy.");
  expect(place.openFiles()).toEqual([]);
});

test("a store that fails to open closes its connection to the writing process", async () => {
  await using place = await fresh();
  place.run("ALTER TABLE incomplete_copy RENAME TO elsewhere");
  const relay = startRelay();
  const [end, descriptor] = relay.ends;
  try {
    const writer = { descriptor, sharers: 2, lost: () => {} };
    await expect(openStore(place.url, Date.now, { writer })).rejects.toThrow("the column incomplete_copy.");
    await relay.exited;
  } finally {
    await relay.end();
    closeSync(end);
  }
});

test("a snapshot that cannot begin leaves no connection", async () => {
  await using place = await fresh();
  await using bulk = await openBulkStore(place.url, "read", Date.now);
  place.run("ALTER TABLE store_order RENAME TO elsewhere");
  const fail = () => expect(bulk.snapshot()).rejects.toThrow("no such table: store_order");
  await fail();
  const after = place.openFiles();
  for (let n = 0; n < 3; n++) await fail();
  expect(place.openFiles()).toEqual(after);
});

test("a writer that cannot prepare its statements leaves no connection, and continues once it can", async () => {
  await using place = await fresh();
  const store = await openStore(place.url, Date.now);
  try {
    place.run("ALTER TABLE idempotency_key RENAME TO elsewhere");
    const fail = () => expect(store.addAnimal(rex)).rejects.toThrow("no such table: idempotency_key");
    await fail();
    const after = place.openFiles();
    for (let n = 0; n < 3; n++) await fail();
    expect(place.openFiles()).toEqual(after);
    place.run("ALTER TABLE elsewhere RENAME TO idempotency_key");
    expect(await store.addAnimal(rex)).toMatchObject({ id: 1n });
  } finally {
    await store.close();
  }
});
