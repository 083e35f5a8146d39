import { expect, test } from "bun:test";
import { join } from "node:path";
import { StoreFailure } from "../../src/domain/failure.ts";
import { openStore } from "../../src/stores/open.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a closed store takes no more writes, and starts no new writer thread for them", async () => {
  using folder = temporaryFolder();
  const url = `sqlite:${join(folder.path, "animals.db")}`;
  const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;
  const store = await openStore(url, Date.now);
  await store.addAnimal(rex);
  await store.close();
  expect(await store.addAnimal(rex).catch((error) => error)).toBeInstanceOf(StoreFailure);
  const again = await openStore(url, Date.now);
  const found = await again.findAnimal(2n);
  await again.close();
  expect(found).toBeUndefined();
});
