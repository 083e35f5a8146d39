import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Order } from "../../src/domain/order.ts";
import { openStore } from "../../src/stores/open.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { STATEMENTS } from "./0.2.0/statements.ts";
import { loadStored } from "./stored.ts";

// Migrations only add: an instance of 0.2.0 that serves goes on when an instance of this version migrates its database.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

const NOW = 2_000_000_000_000;
const FIRST = {
  line: 1,
  key: "first",
  digest: "d3dbeaf794826179c9e807606a6b472fbb23f155985b90f9b1cdce69db65ae14",
};

/** A connection of an instance of 0.2.0, which keeps the statements that it has prepared. */
function connectAs020(url: string) {
  const sql = new SQL({ url, max: 1, bigint: true, connection: { search_path: "pg_catalog" } });
  const keysLimit = 2n ** 62n;
  const one = (value: string, type: "TEXT" | "INT8") => sql.array([value], type);
  return {
    setUp: () =>
      sql.unsafe("SET animal_store.appends = 'on'; SET plan_cache_mode = force_generic_plan").simple(),
    revision: async () => (await sql.unsafe(STATEMENTS.revision))[0] as { appends: bigint; rewrites: bigint },
    find: async (id: bigint) => (await sql.unsafe(STATEMENTS.find, [id]))[0],
    pending: async () =>
      (await sql.unsafe(STATEMENTS.pending, [0, 101])).map(({ id }: { id: bigint }) => BigInt(id)),
    create: async (name: string) =>
      BigInt(
        (
          await sql.unsafe(STATEMENTS.create, [
            keysLimit,
            one(name, "TEXT"),
            one("1", "INT8"),
            one("available", "TEXT"),
          ])
        )[0].id,
      ),
    createWithKey: async (name: string, { line, key, digest }: typeof FIRST) =>
      (
        await sql.unsafe(STATEMENTS.createWithKey, [
          keysLimit,
          one(name, "TEXT"),
          one("1", "INT8"),
          one("available", "TEXT"),
          one(`${line}`, "INT8"),
          one(key, "TEXT"),
          one(digest, "TEXT"),
          NOW - 86_400_000,
          NOW,
        ])
      )[0],
    [Symbol.asyncDispose]: () => sql.close(),
  };
}

test("an instance of 0.2.0 continues beside this version: it creates, and shows each order's animal at once", async () => {
  await using database = await databases.createEmpty();
  await loadStored(database, "0.2.0");
  await using old = connectAs020(database.url);
  await old.setUp();
  const again = { ...FIRST, key: "again" };
  const useAll = async (name: string) => {
    const created = await old.create(name);
    expect(await old.find(created)).toMatchObject({ name, status: "available" });
    expect(await old.createWithKey(name, { ...again, key: name })).toMatchObject({ earlier: false });
    expect(await old.createWithKey(name, { ...again, key: name })).toMatchObject({ earlier: true });
    return created;
  };
  const before = await useAll("before the migration");
  const pending = await old.pending();

  const store = await openStore(database.url, () => NOW);
  try {
    await store.recordEvents(true);
    const after = await useAll("after the migration");
    expect(after).toBeGreaterThan(before);
    for (const [petId, key] of [
      [before, { ...FIRST, key: "an order" }],
      [after, undefined],
    ] as const) {
      const { rewrites } = await old.revision();
      const order = (await store.placeOrder({ petId }, key)) as Order;
      expect(await old.find(petId)).toMatchObject({ status: "pending" });
      expect(await old.pending()).toEqual([...pending, petId]);
      // So pages that it has kept are no longer valid.
      expect((await old.revision()).rewrites).toBeGreaterThan(rewrites);
      await store.updateOrder(order.id, "cancelled");
      expect(await old.find(petId)).toMatchObject({ status: "available" });
    }
    // A key that placed an order is used up for creates as well.
    const { digest } = await old.createWithKey("Rex", { ...FIRST, key: "an order", digest: "f".repeat(64) });
    expect(digest).toBe(FIRST.digest);
    // Ids ascend, whichever of the two creates.
    const ids = [];
    for (let time = 0; time < 3; time++) {
      ids.push(await old.create("old"));
      const added = await store.addAnimal({ name: "new", categoryId: 1n, status: "available" });
      ids.push((added as { id: bigint }).id);
    }
    expect(ids).toEqual(ids.toSorted((one, other) => Number(one - other)));
  } finally {
    await store.close();
  }
});

test("this version migrates while connections of 0.2.0 create and read without a pause", async () => {
  await using database = await databases.createEmpty();
  await loadStored(database, "0.2.0");
  let ended = false;
  let created = 0;
  const working = Array.from({ length: 4 }, async (_, n) => {
    await using old = connectAs020(database.url);
    await old.setUp();
    while (!ended) {
      if (n === 0) await Promise.all([old.pending(), old.revision()]);
      else await old.create("Rex").then(() => created++);
    }
  });
  const all = Promise.all(working);
  await Promise.race([until(() => created >= 20), all]);
  const opening = openStore(database.url, () => NOW);
  await Promise.race([opening, all]);
  const migrated = created;
  await Promise.race([until(() => created >= migrated + 20), all]);
  ended = true;
  await all;
  await (await opening).close();
});
