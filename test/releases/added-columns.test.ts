import { expect, test } from "bun:test";
import { openBulkStore, openStore } from "../../src/stores/open.ts";
import type { TestDatabase } from "../support/database.ts";
import { onEveryEngine } from "../support/engines.ts";

// A later version serves beside this one, and its migrations add columns: statements that are prepared already, and
// statements to come, name the columns that they know.

const TABLES = [
  "animal",
  "api_key",
  "event",
  "feed",
  "idempotency_key",
  "import",
  "incomplete_copy",
  "revision",
];
const MORE = ["secret", "stock_correction", "store_order"];
/** Tables of PostgreSQL alone have other names for the same. */
const OF_SQLITE = new Set(["revision"]);

async function addColumns(database: TestDatabase): Promise<void> {
  const isSqlite = database.url.startsWith("sqlite:");
  for (const table of [...TABLES, ...MORE]) {
    if (isSqlite || !OF_SQLITE.has(table)) await database.query(`ALTER TABLE ${table} ADD COLUMN later text`);
  }
}

onEveryEngine((engine) => {
  test("continues when a later version adds a column to each table", async () => {
    await using database = await engine.createDatabase();
    await using other = await engine.createDatabase();
    const store = await openStore(database.url, Date.now);
    try {
      await store.recordEvents(true);
      await using bulk = await openBulkStore(database.url, "change", Date.now);
      const use = async (n: number) => {
        const idempotency = { line: 1, key: `${n}`, digest: `${n}`.repeat(64) };
        const animal = { name: `Animal ${n}`, categoryId: 1n, status: "available" } as const;
        const added = await store.addAnimal(animal, idempotency);
        expect(await store.addAnimal(animal, idempotency)).toEqual({ replayed: added } as never);
        const { id } = added as { id: bigint };
        expect(await store.placeOrder({ petId: id })).toMatchObject({ petId: id });
        expect((await store.listOrders({ after: 0n, limit: 10 } as never)).items).toHaveLength(n);
        await using staging = await bulk.stage();
        await staging.add([{ ...animal, name: `Imported ${n}` }]);
        await staging.publish({ digest: `${n}`.repeat(64), commitEvery: 10, onProgress: () => {} });
        const imported = id + 1n;
        const source = { by: "me", at: Date.now() };
        await bulk.corrections.correct([imported], { name: `Corrected ${n}` }, source);
        expect(await bulk.corrections.list({ animalId: undefined, last: 10 })).toHaveLength(n);
        await using snapshot = await bulk.snapshot();
        const metadata = await snapshot.metadata();
        expect([metadata.imports.length, metadata.corrections.length]).toEqual([n, n]);
        return metadata;
      };
      await use(1);
      await addColumns(database);
      const metadata = await use(2);
      expect((await store.cursorSecret()).length).toBe(32);

      await using target = await openBulkStore(other.url, "write", Date.now);
      await addColumns(other);
      const copy = await target.receive("a store");
      await copy.add([{ id: 1n, name: "Rex", categoryId: 1n, status: "available" }]);
      const none = async function* () {};
      const cursorSecret = new Uint8Array(32);
      await copy.finish({ ...metadata, cursorSecret }, none(), none(), async () => {});
      await using copied = await target.snapshot();
      expect(await copied.metadata()).toEqual({ ...metadata, cursorSecret: expect.anything() });
    } finally {
      await store.close();
    }
  });

  test("a service that starts first on such a store has its secret", async () => {
    await using database = await engine.createDatabase();
    {
      await using _ = await openBulkStore(database.url, "write", Date.now);
    }
    await addColumns(database);
    const store = await openStore(database.url, Date.now);
    const secret = await store.cursorSecret();
    await store.close();
    expect(secret.length).toBe(32);
  });
});
