import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Animal } from "../../src/domain/animal.ts";
import { openStore } from "../../src/stores/open.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { PostgresDatabases } from "../support/postgres-database.ts";
import { storeConformance } from "./store-conformance.ts";

const server: Postgres = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

const databases = new PostgresDatabases(server);
storeConformance("postgres", () => databases.create());

test("postgres: one refused row among a thousand costs few transactions", async () => {
  const store = await openStore(await server.createDatabase(), Date.now);
  try {
    const { stock: before } = await store.revision();
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
    const { stock: after } = await store.revision();
    expect(after - before).toBeLessThan(25);
  } finally {
    await store.close();
  }
});

test("postgres: a sweep keeps what a create renews at that moment, and waits for nobody", async () => {
  await using database = await databases.create();
  const store = await openStore(database.url, Date.now);
  await using creating = new SQL({ url: database.url, max: 1 });
  try {
    await database.query(
      `INSERT INTO retry SELECT 1, 'k' || n, repeat('0', 64), n, n FROM generate_series(1, 3) n`,
    );
    // As a create of another instance does with a key that is past its life, just before its commit.
    await creating.unsafe("BEGIN");
    await creating`UPDATE animal_store.retry SET created_at = ${Date.now()} WHERE key = 'k2'`;
    expect(await store.sweepRetries()).toBe(2);
    await creating.unsafe("COMMIT");
    expect(await database.query<{ key: string }>("SELECT key FROM retry")).toEqual([{ key: "k2" }]);
  } finally {
    await store.close();
  }
});
