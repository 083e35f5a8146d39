import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Animal } from "../../src/domain/animal.ts";
import { openStore } from "../../src/stores/open.ts";
import { Caller, expectUnavailable } from "../support/caller.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startOwnPostgres } from "../support/postgres.ts";
import { serve } from "../support/program.ts";
import { until, untilStatus } from "../support/until.ts";

// A server that allows PREPARE TRANSACTION, as those with transaction managers do.
const server = await startOwnPostgres(["max_prepared_transactions=5"]);
afterAll(() => server[Symbol.asyncDispose]());

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

test.each([
  ["changes an animal", "UPDATE animal SET name = 'Mia' WHERE id = 1"],
  ["adds an animal", "INSERT INTO animal (id, name, category_id, status) VALUES (9, 'Mia', 1, 'sold')"],
  ["removes an animal", "DELETE FROM animal WHERE id = 2"],
  [
    "adds an order",
    "INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) VALUES (9, 1, 'placed', 1, 1)",
  ],
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
      expect(await store.placeOrder({ petId: id })).toMatchObject({ status: "placed" });
    } finally {
      await store.close();
    }
  },
);

test("an order whose animal a prepared transaction has locked fails and names it; others are stored", async () => {
  const url = await server.createDatabase();
  const store = await openStore(`${url}?statement_timeout=500`, Date.now);
  try {
    await store.addAnimal(rex);
    const { id } = (await store.addAnimal(rex)) as Animal;
    await using _ = await prepareByHand(url, "SELECT FROM animal_store.animal WHERE id = 1 FOR UPDATE");
    const locked = store.placeOrder({ petId: 1n });
    expect(await store.placeOrder({ petId: id })).toMatchObject({ status: "placed" });
    await expect(locked).rejects.toThrow(NAMED);
  } finally {
    await store.close();
  }
});

test("a prepared transaction that keeps a service from writing makes it not ready, and it and the log name it", async () => {
  using folder = temporaryFolder();
  const url = await server.createDatabase();
  await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: url } });
  const caller = new Caller(service);
  {
    await using _ = await prepareByHand(url, "SELECT FROM animal_store.state FOR UPDATE");
    await expectUnavailable(await caller.create("Rex"));
    expect(await unready(service)).toEndWith(
      " A write waits for the prepared transaction `by hand` (end it with ROLLBACK PREPARED).",
    );
    await service.says(`"msg":"a write waits for ${NAMED}`);
  }
  await untilStatus(() => caller.create("Rex"), 201);
  await untilStatus(() => fetch(`${service.address}/readyz`), 200);
});

test("a session that keeps a service from writing is named to anybody by its process alone", async () => {
  using folder = temporaryFolder();
  const url = await server.createDatabase();
  await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: url } });
  await using hand = new SQL({ url, max: 1 });
  await hand.unsafe("BEGIN; SELECT FROM animal_store.state FOR UPDATE").simple();
  const [{ pid }] = await hand`SELECT pg_backend_pid() AS pid`;
  expect(await unready(service)).toBe(
    `Not ready: the store can be read but not written. A write waits for process ${pid} of PostgreSQL.`,
  );
  await hand.unsafe("ROLLBACK");
  await untilStatus(() => fetch(`${service.address}/readyz`), 200);
});

/** What `/readyz` says, once a write is under way that cannot go on. */
async function unready({ address }: { readonly address: string }): Promise<string> {
  let message = "";
  await until(async () => {
    const response = await fetch(`${address}/readyz`);
    ({ message = "" } = (await response.json()) as { message?: string });
    return message.includes("A write waits for");
  });
  return message;
}

const NAMED = "the prepared transaction `by hand` of postgres since 20";

/** Leaves a prepared transaction, until it is disposed of. */
async function prepareByHand(url: string, statement: string): Promise<AsyncDisposable> {
  const hand = new SQL({ url, max: 1 });
  await hand.unsafe(`BEGIN; ${statement}; PREPARE TRANSACTION 'by hand'`).simple();
  return {
    async [Symbol.asyncDispose]() {
      await hand.unsafe("ROLLBACK PREPARED 'by hand'");
      await hand.close();
    },
  };
}
