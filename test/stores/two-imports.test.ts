import { expect, test } from "bun:test";
import { openBulkStore } from "../../src/stores/open.ts";
import { onEveryEngine } from "../support/engines.ts";

const REX = { name: "Rex", categoryId: 1n, status: "available" } as const;

onEveryEngine((engine) => {
  test("a file that is imported twice at once is stored once, and its record says where", async () => {
    await using database = await engine.createDatabase();
    await using first = await openBulkStore(database.url, "write", Date.now);
    await using second = await openBulkStore(database.url, "write", Date.now);
    const publication = { digest: "0".repeat(64), commitEvery: 10, onProgress() {} };
    await using fast = await first.stage();
    await using slow = await second.stage();
    for (const staging of [fast, slow]) await staging.add([REX, REX]);
    const published = await fast.publish(publication);
    const record = await first.findImport(publication.digest);
    // An animal of another client gets the next id meanwhile.
    await using third = await openBulkStore(database.url, "write", Date.now);
    await using other = await third.stage();
    await other.add([REX]);
    await other.publish({ ...publication, digest: undefined });

    expect(await slow.publish(publication)).toMatchObject(published);
    expect(await first.findImport(publication.digest)).toEqual(record);
    await using snapshot = await third.snapshot();
    expect(snapshot.count).toBe(3);
  });
});
