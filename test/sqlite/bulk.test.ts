import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { INT64_MAX } from "../../src/domain/int64.ts";
import type { BulkStore } from "../../src/domain/transfer.ts";
import { openBulkStore } from "../../src/stores/open.ts";
import { fileOfStore } from "../../src/stores/url.ts";
import { createSqliteDatabase } from "../support/database.ts";
import { createStore } from "../support/store-place.ts";
import { planOf } from "./plan-of.ts";

/** How SQLite finds the rows of a table in each statement that some work makes of it. */
async function plansOf(table: string, work: (bulk: BulkStore) => Promise<unknown>): Promise<string[]> {
  await using place = await createSqliteDatabase();
  await createStore(place.url);
  await using bulk = await openBulkStore(place.url, "read", Date.now);
  using query = spyOn(Database.prototype, "query");
  await work(bulk);
  const texts = query.mock.calls.map(([text]) => text).filter((text) => text.includes(`FROM ${table}`));
  return texts.map((text) => planOf(fileOfStore(place.url) as string, text).join("; "));
}

test("a snapshot reads each chunk of idempotency records from where the last one ended", async () => {
  const plans = await plansOf("idempotency_key", async (bulk) => {
    await using snapshot = await bulk.snapshot();
    for await (const _ of snapshot.idempotencyRecords(0));
  });
  expect(plans).toEqual(["SEARCH idempotency_key USING PRIMARY KEY ((line,key)>(?,?))"]);
});

test("the corrections of one animal are found by its id", async () => {
  const [plan, ...others] = await plansOf("stock_correction", ({ corrections }) =>
    corrections.list({ animalId: 1n, last: 5 }),
  );
  expect(plan).toContain("SEARCH stock_correction USING INDEX stock_correction_by_animal (animal_id=?)");
  expect(others).toEqual([]);
});

test("an import that finds too few ids says so, and stores nothing", async () => {
  await using place = await createSqliteDatabase();
  await createStore(place.url);
  const row = { name: "Rex", categoryId: 1n, status: "available" } as const;
  {
    using hand = new Database(fileOfStore(place.url) as string);
    hand.run(
      `INSERT INTO animal (id, name, category_id, status) VALUES (${INT64_MAX - 1n}, 'Rex', 1, 'sold')`,
    );
  }
  await using bulk = await openBulkStore(place.url, "change", Date.now);
  const publish = async (count: number) => {
    await using staging = await bulk.stage();
    await staging.add(Array.from({ length: count }, () => row));
    return await staging.publish({ digest: undefined, commitEvery: 10, onProgress: () => {} });
  };
  await expect(publish(2)).rejects.toThrow(
    "has given id 9223372036854775806: too few greater ids are left. Import with --ids new into an empty store.",
  );
  expect(await publish(1)).toMatchObject({ count: 1, lastId: INT64_MAX });
});
