import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Animal } from "../../src/domain/animal.ts";
import { openStore } from "../../src/stores/open.ts";
import { storeConformance } from "../stores/store-conformance.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { revisionOf } from "../support/revision-of.ts";

const server: Postgres = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

const databases = new PostgresDatabases(server);
storeConformance("postgres", () => databases.create());

/** Such as 18; MERGE came with 15. */
const major = await majorVersion();

async function majorVersion(): Promise<number> {
  await using sql = new SQL({ url: server.url, max: 1 });
  const [row] = await sql`SELECT current_setting('server_version_num')::int / 10000 AS major`;
  return row.major;
}

const MERGE = [
  "merges one in",
  `MERGE INTO animal USING (SELECT 2 AS id) AS new ON animal.id = new.id
   WHEN MATCHED THEN UPDATE SET name = 'Mia'`,
] as const;

/** A store with three animals, and what another hand does in its database. */
async function freshWithThree() {
  const database = await databases.create();
  const store = await openStore(database.url, Date.now);
  for (let id = 1; id <= 3; id++) await store.addAnimal(rex);
  return {
    database,
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ["changes an animal", "UPDATE animal SET name = 'Mia' WHERE id = 2"],
  ["removes one", "DELETE FROM animal WHERE id = 3"],
  ["removes all", "TRUNCATE animal, store_order"],
  // Where it comes is not looked at.
  ["adds one", "INSERT INTO animal (id, name, category_id, status) VALUES (9, 'Mia', 1, 'sold')"],
  ["adds some", "COPY animal (id, name, category_id, status) FROM PROGRAM 'echo 9,Mia,1,sold' (FORMAT csv)"],
  ...(major >= 15 ? [MERGE] : []),
  ["gives one another id", "UPDATE animal SET id = 9 WHERE id = 2"],
])("postgres: the revision of existing rows grows when another program %s", async (_, statement) => {
  await using place = await freshWithThree();
  const before = await revisionOf(place.store);
  await place.database.query(statement);
  const after = await revisionOf(place.store);
  expect(after.rewrite).toBeGreaterThan(before.rewrite);
  expect(after.append).toBeGreaterThan(before.append);
  expect(after.keys).toBe(before.keys);
});

test("postgres: an uncommitted change of animals by hand keeps no create waiting", async () => {
  await using place = await freshWithThree();
  const before = await revisionOf(place.store);
  await using hand = new SQL({ url: place.database.url, max: 1 });
  await hand.unsafe("BEGIN");
  await hand.unsafe("UPDATE animal_store.animal SET name = 'Mia' WHERE id = 2");
  expect(await place.store.addAnimal(rex)).toMatchObject({ id: 4n });
  expect((await revisionOf(place.store)).rewrite).toBe(before.rewrite);
  await hand.unsafe("COMMIT");
  expect((await revisionOf(place.store)).rewrite).toBeGreaterThan(before.rewrite);
});

test("postgres: one refused row among a thousand costs few transactions", async () => {
  const store = await openStore(await server.createDatabase(), Date.now);
  try {
    const { append: before } = await revisionOf(store);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1000 }, (_, n) =>
        store.addAnimal({ name: n === 333 ? "\0" : `${n}`, categoryId: 1n, status: "available" }),
      ),
    );
    const stored = outcomes.filter(
      ({ status }) => status === "fulfilled",
    ) as PromiseFulfilledResult<Animal>[];
    // In the order in which they came, with no gap where the one was refused.
    expect(stored.map(({ value: { id, name } }) => [id, name])).toEqual(
      Array.from({ length: 1000 }, (_, n) => `${n}`)
        .toSpliced(333, 1)
        .map((name, n) => [BigInt(n) + 1n, name]),
    );
    // Each transaction moves the revision by one.
    const { append: after } = await revisionOf(store);
    expect(after - before).toBeLessThan(25);
  } finally {
    await store.close();
  }
});

test("postgres: a sweep keeps a record that a create renews at that moment, and waits for no lock", async () => {
  await using database = await databases.create();
  const store = await openStore(database.url, Date.now);
  await using creating = new SQL({ url: database.url, max: 1 });
  try {
    await database.query(
      `INSERT INTO idempotency_key SELECT 1, 'k' || n, repeat('0', 64), n, n FROM generate_series(1, 3) n`,
    );
    // As a create of another instance does with a key that is past its life, just before its commit.
    await creating.unsafe("BEGIN");
    await creating`UPDATE animal_store.idempotency_key SET created_at = ${Date.now()} WHERE key = 'k2'`;
    expect(await store.deleteExpired()).toBe(2);
    await creating.unsafe("COMMIT");
    expect(await database.query<{ key: string }>("SELECT key FROM idempotency_key")).toEqual([{ key: "k2" }]);
  } finally {
    await store.close();
  }
});
