import { expect, test } from "bun:test";
import type { Animal } from "../../src/domain/animal.ts";
import type { StoreMetadata } from "../../src/domain/transfer.ts";
import { openBulkStore } from "../../src/stores/open.ts";
import { onEveryEngine } from "../support/engines.ts";

const METADATA: StoreMetadata = {
  lastAnimalId: 1n,
  lastOrderId: 0n,
  newestEventId: 0n,
  recordsEvents: false,
  lastKeyId: 0,
  keys: [],
  imports: [],
  corrections: [],
  cursorSecret: undefined,
};

async function* none() {}

function animal(id: bigint): Animal {
  return { id, name: "Rex", categoryId: 1n, status: "available" };
}

onEveryEngine((engine) => {
  test("of two copies into one store, the slower one ends and says what to do, and changes nothing", async () => {
    await using database = await engine.createDatabase();
    await using first = await openBulkStore(database.url, "write", Date.now);
    await using second = await openBulkStore(database.url, "write", Date.now);
    const [fast, slow] = [await first.receive("source"), await second.receive("source")];
    await fast.add([animal(1n)]);
    await expect(slow.add([animal(1n), animal(2n)])).rejects.toThrow(/^another `copy` into .* is running/);
    await fast.finish(METADATA, none(), none(), async () => {});
    for (const late of [
      () => slow.add([animal(2n)]),
      () => slow.replace([], [1n]),
      () => slow.finish(METADATA, none(), none(), async () => {}),
    ])
      await expect(late()).rejects.toThrow("has finished meanwhile");
    await using snapshot = await first.snapshot();
    expect(snapshot.count).toBe(1);
  });
});
