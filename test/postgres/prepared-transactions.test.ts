import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Animal } from "../../src/domain/animal.ts";
import { openStore } from "../../src/stores/open.ts";
import { startOwnPostgres } from "../support/postgres.ts";

// A server that allows PREPARE TRANSACTION, as those with transaction managers do.
const server = await startOwnPostgres(["max_prepared_transactions=5"]);
afterAll(() => server[Symbol.asyncDispose]());

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

test.each([
  ["changes an animal", "UPDATE animal SET name = 'Mia' WHERE id = 1"],
  ["adds an animal", "INSERT INTO animal VALUES (9, 'Mia', 1, 'sold')"],
  ["removes an animal", "DELETE FROM animal WHERE id = 2"],
  ["adds an order", "INSERT INTO store_order VALUES (9, 1, 'placed', 1, 1)"],
  ["removes orders", "DELETE FROM store_order"],
  ["changes keys", "UPDATE api_key SET revoked_at = 1"],
])(
  "a transaction by hand that %s cannot be prepared, and delays no create and no order",
  async (_, statement) => {
    const url = await server.createDatabase();
    const store = await openStore(url, Date.now);
    try {
      await store.addAnimal(rex);
      await store.addAnimal(rex);
      await using hand = new SQL({ url, max: 1, connection: { search_path: "animal_store" } });
      for (const end of ["PREPARE TRANSACTION 'by hand'", "COMMIT"]) {
        await hand.unsafe("BEGIN");
        await hand.unsafe(statement);
        const ended = hand.unsafe(end);
        if (end === "COMMIT") await ended;
        else await expect(ended).rejects.toThrow("cannot PREPARE a transaction");
      }
      const { id } = (await store.addAnimal(rex)) as Animal;
      expect(await store.placeOrder(id)).toMatchObject({ status: "placed" });
    } finally {
      await store.close();
    }
  },
);
