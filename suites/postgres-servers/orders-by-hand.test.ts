import { afterAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { STATUSES } from "../../src/domain/animal.ts";
import { StoreFailure } from "../../src/domain/failure.ts";
import { mayBecome, ORDER_STATUSES, type Order } from "../../src/domain/order.ts";
import type { Store } from "../../src/domain/store.ts";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import type { TestDatabase } from "../../test/support/database.ts";
import { PostgresDatabases } from "../../test/support/postgres/databases.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { type Interference, type Link, startProxy } from "../../test/support/proxy.ts";
import { revisionOf } from "../../test/support/revision-of.ts";
import { until } from "../../test/support/until.ts";

// Orders beside other hands in the same database. What both engines promise is in test/stores/order-conformance.ts.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

interface Place extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly store: Store;
  /** Opens the store once more, as another instance does. */
  open(): Promise<Store>;
}

/** A store with animals that are available, with ids from 1. */
async function fresh(animals = 3): Promise<Place> {
  const database = await databases.create();
  const opened: Store[] = [];
  const open = async () => {
    const store = await openPostgresStore(database.url, Date.now);
    opened.push(store);
    return store;
  };
  const store = await open();
  const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;
  await Promise.all(Array.from({ length: animals }, () => store.addAnimal(rex)));
  return {
    database,
    store,
    open,
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A connection of somebody else's. */
function connect({ database }: Place): SQL {
  return new SQL({ url: database.url, max: 1, connection: { search_path: "animal_store" } });
}

async function place(store: Store, petId: bigint): Promise<Order> {
  const order = await store.placeOrder({ petId });
  if (typeof order !== "object" || !("id" in order)) throw new Error(`not placed: ${JSON.stringify(order)}`);
  return order;
}

/** An order that is inserted by hand. */
function insert(id: number, animal: number, status: string): string {
  return `INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) VALUES (${id}, ${animal}, '${status}', 1, 1)`;
}

/** Where animals and orders contradict each other, in the whole store. */
async function contradictions({ database }: Place): Promise<unknown[]> {
  return database.query(`
    SELECT a.id, a.status, array_agg(o.status ORDER BY o.status) AS orders
      FROM animal a LEFT JOIN store_order o ON o.animal_id = a.id AND o.status <> 'cancelled'
     GROUP BY a.id, a.status
    HAVING count(o.id) > 1 OR bool_or(o.status IN ('placed', 'approved')) AND a.status <> 'pending'
           OR bool_or(o.status = 'delivered') AND a.status <> 'sold'`);
}

async function statusOf({ store }: Place, id: bigint): Promise<string | undefined> {
  return (await store.findAnimal(id))?.status;
}

describe("a change by hand", () => {
  // Animal 1 has a placed order, 2 a delivered order, 3 a cancelled order; 4 is sold without an order.
  async function stocked(): Promise<Place> {
    const place4 = await fresh(4);
    const { store, database } = place4;
    for (const id of [1n, 2n, 3n]) await place(store, id);
    await store.updateOrder(2n, "approved");
    await store.updateOrder(2n, "delivered");
    await store.updateOrder(3n, "cancelled");
    await database.query("UPDATE animal SET status = 'sold' WHERE id = 4");
    return place4;
  }

  test.each([
    [
      "makes an ordered animal available",
      "UPDATE animal SET status = 'available' WHERE id = 1",
      "animal 1 cannot become available, since its order 1 is placed",
    ],
    [
      "makes an ordered animal sold",
      "UPDATE animal SET status = 'sold'",
      "animal 1 cannot become sold, since its order 1 is placed",
    ],
    [
      "makes a delivered animal pending",
      "UPDATE animal SET status = 'pending' WHERE id = 2",
      "animal 2 cannot become pending, since its order 2 is delivered",
    ],
    [
      "removes an animal with an open order",
      "DELETE FROM animal WHERE id = 1",
      "animal 1 has orders, so it cannot be removed or get another id",
    ],
    [
      "removes an animal with a cancelled order",
      "DELETE FROM animal WHERE id = 3",
      "animal 3 has orders, so it cannot be removed or get another id",
    ],
    [
      "gives an ordered animal another id",
      "UPDATE animal SET id = 99 WHERE id = 2",
      "animal 2 has orders, so it cannot be removed or get another id",
    ],
    [
      "removes all animals",
      "TRUNCATE animal",
      "cannot truncate a table referenced in a foreign key constraint",
    ],
    [
      "removes all orders",
      "TRUNCATE store_order",
      "some orders are not cancelled: only cancelled orders can be removed",
    ],
    [
      "removes an open order",
      "DELETE FROM store_order WHERE id = 1",
      "order 1 is placed: only cancelled orders can be removed",
    ],
    [
      "removes a delivered order",
      "DELETE FROM store_order WHERE id = 2",
      "order 2 is delivered: only cancelled orders can be removed",
    ],
    [
      "gives an order another animal",
      "UPDATE store_order SET animal_id = 3 WHERE id = 1",
      "order 1 keeps its id and its animal: cancel it, and place another",
    ],
    [
      "gives an order another id",
      "UPDATE store_order SET id = 9 WHERE id = 3",
      "order 3 keeps its id and its animal: cancel it, and place another",
    ],
    [
      "orders an ordered animal",
      insert(9, 1, "placed"),
      'duplicate key value violates unique constraint "one_open_or_delivered_order_per_animal"',
    ],
    [
      "delivers an ordered animal",
      insert(9, 1, "delivered"),
      'duplicate key value violates unique constraint "one_open_or_delivered_order_per_animal"',
    ],
    [
      "orders a delivered animal",
      insert(9, 2, "placed"),
      'duplicate key value violates unique constraint "one_open_or_delivered_order_per_animal"',
    ],
    ["orders a sold animal", insert(9, 4, "approved"), "animal 4 is sold and cannot be ordered"],
    ["orders no animal", insert(9, 99, "placed"), "violates foreign key constraint"],
    [
      "gives an order no status",
      "UPDATE store_order SET status = 'lost' WHERE id = 1",
      "order 1 is placed and cannot become lost",
    ],
    ["updates an order before it is placed", "UPDATE store_order SET updated_at = 0 WHERE id = 1", "check"],
  ])("that %s is refused, with the reason", async (_, statement, message) => {
    await using place = await stocked();
    const before = await place.database.query("SELECT * FROM store_order ORDER BY id");
    expect(String(await place.database.query(statement).catch((error) => error))).toContain(message);
    expect(await place.database.query("SELECT * FROM store_order ORDER BY id")).toEqual(before);
    expect(await contradictions(place)).toEqual([]);
  });

  test("may take the steps that the domain allows, and no other", async () => {
    await using place = await fresh(ORDER_STATUSES.length ** 2);
    const { database } = place;
    let id = 0;
    for (const from of ORDER_STATUSES) {
      for (const to of ORDER_STATUSES) {
        await database.query(insert(++id, id, from));
        const changed = await database
          .query(`UPDATE store_order SET status = '${to}' WHERE id = ${id} RETURNING 1`)
          .catch(() => []);
        expect([from, to, changed.length === 1]).toEqual([from, to, from === to || mayBecome(from, to)]);
      }
    }
    expect(await contradictions(place)).toEqual([]);
  });

  test("is followed by the animals: of one order, and of many at once", async () => {
    await using place = await fresh(30);
    const { store, database } = place;
    const before = await revisionOf(store);
    await database.query(
      "INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) SELECT n, n, (ARRAY['placed', 'delivered', 'cancelled'])[n % 3 + 1], 1, 1 FROM generate_series(1, 30) n",
    );
    expect([await statusOf(place, 3n), await statusOf(place, 1n), await statusOf(place, 2n)]).toEqual([
      "pending",
      "sold",
      "available",
    ]);
    await database.query("UPDATE store_order SET status = 'cancelled' WHERE status = 'placed'");
    expect([await statusOf(place, 3n), await statusOf(place, 1n)]).toEqual(["available", "sold"]);
    expect(await contradictions(place)).toEqual([]);
    expect((await revisionOf(store)).rewrite).toBe(before.rewrite + 2);
    expect((await revisionOf(store)).keys).toBe(before.keys);
  });

  test("that adds orders to animals which already have the right statuses is accepted", async () => {
    await using place = await fresh(0);
    const { database } = place;
    await database.query(
      "INSERT INTO animal (id, name, category_id, status) VALUES (1, 'Rex', 1, 'pending'), (2, 'Mia', 1, 'sold'), (3, 'Kim', 1, 'sold')",
    );
    await database.query(insert(7, 1, "approved"));
    await database.query(insert(8, 2, "delivered"));
    await database.query(insert(9, 3, "cancelled"));
    expect(await database.query("SELECT status FROM animal ORDER BY id")).toEqual(
      ["pending", "sold", "sold"].map((status) => ({ status })),
    );
  });

  test.each(STATUSES.filter((status) => status !== "pending"))(
    "with an old snapshot cannot make an animal %s that was ordered meanwhile",
    async (status) => {
      await using place = await fresh();
      // Pending without an order: the order leaves its status as it is.
      await place.database.query("UPDATE animal SET status = 'pending' WHERE id = 1");
      await using hand = connect(place);
      await hand.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await hand.unsafe("SELECT FROM animal");
      await place.database.query(insert(1, 1, "placed"));
      const refused = await hand
        .unsafe(`UPDATE animal SET status = '${status}' WHERE id = 1`)
        .catch((error) => error);
      expect(String(refused)).toContain("could not serialize access");
      await hand.unsafe("ROLLBACK");
      expect(await contradictions(place)).toEqual([]);
    },
  );

  test("that begins before an order and commits after it leaves animals and orders consistent", async () => {
    await using place = await fresh();
    const { database } = place;
    await using hand = connect(place);
    await using observer = connect(place);
    for (const [id, status, wins] of [
      [1, "sold", true],
      [2, "pending", false],
    ] as const) {
      await hand.unsafe("BEGIN");
      await hand.unsafe(`UPDATE animal SET status = '${status}' WHERE id = ${id}`);
      const inserting = database.query(insert(id, id, "placed")).catch((error) => String(error));
      await until(async () => (await countWaiting(observer)) > 0);
      await hand.unsafe("COMMIT");
      const outcome = await inserting;
      if (wins) expect(outcome).toContain(`animal ${id} is sold and cannot be ordered`);
      else expect(outcome).toBeArray();
      expect(await contradictions(place)).toEqual([]);
    }
  });
});

/** How many sessions wait for a lock, as one sees that is in no transaction: PostgreSQL repeats itself within one. */
async function countWaiting(observer: SQL): Promise<number> {
  const rows =
    await observer`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return rows.length;
}

describe("several instances", () => {
  test("order the same animals at once: each is in one open order, and every status agrees", async () => {
    await using place = await fresh(20);
    const stores = [place.store, ...(await Promise.all([place.open(), place.open(), place.open()]))];
    const placed: Order[] = [];
    const client = async (at: number) => {
      const store = stores[at % stores.length] as Store;
      for (let time = 0; time < 6; time++) {
        const order = await store.placeOrder({ petId: BigInt(1 + ((at * 7 + time * 3) % 20)) });
        if (typeof order !== "object" || !("id" in order)) continue;
        placed.push(order);
        const steps = at % 3 === 0 ? (["approved", "delivered"] as const) : (["cancelled"] as const);
        const other = stores[(at + 1) % stores.length] as Store;
        for (const status of steps)
          expect(await other.updateOrder(order.id, status)).toMatchObject({ status });
      }
    };
    await Promise.all(Array.from({ length: 60 }, (_, at) => client(at)));
    const listed = await place.database.query<{ id: bigint }>("SELECT id FROM store_order ORDER BY id");
    expect(listed.map(({ id }) => BigInt(id))).toEqual(
      placed.map(({ id }) => id).toSorted((a, b) => Number(a - b)),
    );
    expect(listed.length).toBeGreaterThanOrEqual(20);
    expect(await contradictions(place)).toEqual([]);
    const delivered = await place.database.query("SELECT 1 FROM store_order WHERE status = 'delivered'");
    expect(delivered.length).toBe(
      (await place.database.query("SELECT 1 FROM animal WHERE status = 'sold'")).length,
    );
  });

  test("use one Idempotency-Key at once for orders and creates: it counts once", async () => {
    await using place = await fresh(40);
    const stores = [place.store, await place.open(), await place.open()];
    const keys = Array.from({ length: 10 }, (_, n) => ({ line: 1, key: `${n}`, digest: `${n}`.repeat(64) }));
    const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;
    const outcomes = await Promise.all(
      [...keys, ...keys.toReversed(), ...keys].flatMap((key, at) =>
        stores.map(async (store, n) => {
          const petId = BigInt(1 + Number(key.key));
          // The digest of a create is never that of an order.
          const other = { ...key, digest: "f".repeat(64) };
          const outcome = (at + n) % 4 === 0 ? store.addAnimal(rex, other) : store.placeOrder({ petId }, key);
          return { key: key.key, outcome: await outcome };
        }),
      ),
    );
    for (const { key } of keys) {
      const own = outcomes.filter((each) => each.key === key).map(({ outcome }) => outcome);
      const firsts = own.filter((outcome) => typeof outcome === "object" && "id" in outcome);
      expect(firsts).toHaveLength(1);
      for (const outcome of own) {
        if (typeof outcome === "object" && "replayed" in outcome)
          expect(outcome.replayed).toEqual(firsts[0] as never);
        else if (outcome !== firsts[0]) expect(outcome).toBe("key_reused");
      }
    }
    expect(await contradictions(place)).toEqual([]);
  });
});

test("an order that another instance places while a statement runs is found by its Idempotency-Key", async () => {
  const [rounds, batch] = [30n, 100n];
  await using place = await fresh(Number(rounds * batch));
  const other = await place.open();
  for (let round = 0n; round < rounds; round++) {
    // The statement reaches the last animal some milliseconds after it began.
    const last = (round + 1n) * batch;
    const retry = { line: 1, key: `${last}`, digest: "0".repeat(64) };
    const others = Array.from({ length: Number(batch) - 1 }, (_, n) =>
      place.store.placeOrder({ petId: last - 1n - BigInt(n) }),
    );
    const one = place.store.placeOrder({ petId: last }, retry);
    await Bun.sleep(Number(round % 10n));
    const outcomes = await Promise.all([one, other.placeOrder({ petId: last }, retry)]);
    const order = outcomes.find((outcome) => typeof outcome === "object" && "id" in outcome);
    expect(order).toMatchObject({ petId: last });
    expect(outcomes).toContainEqual({ replayed: order as Order });
    await Promise.all(others);
  }
});

describe("a row that a transaction by hand has locked:", () => {
  test.each([
    ["an animal", "UPDATE animal SET name = 'Mia' WHERE id = 1"],
    ["an order's animal", "SELECT FROM animal WHERE id = 1 FOR UPDATE"],
  ])("%s delays only its own order, which is placed afterwards; creates continue", async (_, statement) => {
    await using place = await fresh(300);
    const { store } = place;
    await using hand = connect(place);
    await using observer = connect(place);
    await hand.unsafe("BEGIN");
    await hand.unsafe(statement);
    let isDone = false;
    const held = store.placeOrder({ petId: 1n }).then((order) => {
      isDone = true;
      return order;
    });
    for (let id = 2n; id <= 300n; id += 1n) {
      const [order, animal] = await Promise.all([
        store.placeOrder({ petId: id }),
        id % 10n === 0n && store.addAnimal({ name: "Kim", categoryId: 1n, status: "sold" }),
      ]);
      expect([order, animal]).not.toContain("animal_not_found");
    }
    expect(isDone).toBe(false);
    expect(await countWaiting(observer)).toBe(0);
    await hand.unsafe("COMMIT");
    expect(await held).toMatchObject({ petId: 1n, status: "placed" });
    expect(await contradictions(place)).toEqual([]);
  });

  test("an order's row delays the changes of that order only", async () => {
    await using place = await fresh(3);
    const { store } = place;
    await Promise.all([store.placeOrder({ petId: 1n }), store.placeOrder({ petId: 2n })]);
    await using hand = connect(place);
    await hand.unsafe("BEGIN");
    await hand.unsafe("UPDATE store_order SET status = 'approved' WHERE id = 1");
    const held = store.updateOrder(1n, "delivered");
    expect(await store.updateOrder(2n, "approved")).toMatchObject({ status: "approved" });
    expect(await store.placeOrder({ petId: 3n })).toMatchObject({ id: 3n });
    await hand.unsafe("COMMIT");
    expect(await held).toMatchObject({ status: "delivered" });
  });

  test("an animal, for longer than a request may take: its order gets `store_unavailable`, others are placed", async () => {
    await using place = await fresh();
    const url = new URL(place.database.url);
    url.searchParams.set("statement_timeout", "500");
    const store = await openPostgresStore(url.href, Date.now);
    await using hand = connect(place);
    await hand.unsafe("BEGIN");
    await hand.unsafe("SELECT FROM animal WHERE id = 1 FOR UPDATE");
    const refused = await store.placeOrder({ petId: 1n }).catch((error) => error);
    expect(refused).toBeInstanceOf(StoreFailure);
    expect(refused).toMatchObject({ code: "store_unavailable" });
    expect(await store.placeOrder({ petId: 2n })).toMatchObject({ petId: 2n });
    await hand.unsafe("ROLLBACK");
    expect(await store.placeOrder({ petId: 1n })).toMatchObject({ petId: 1n });
    await store.close();
  });
});

test("an order that deadlocks with a transaction by hand is tried again", async () => {
  await using place = await fresh();
  await using hand = connect(place);
  await using observer = connect(place);
  // PostgreSQL ends the transaction that notices the ring. Where that is the one by hand, there is nothing to try again.
  for (let isTriedAgain = false; !isTriedAgain; ) {
    await hand.unsafe("BEGIN");
    // It holds the lock of all rewrites from here on, not only at its commit.
    await hand.unsafe("SET CONSTRAINTS ALL IMMEDIATE");
    await hand.unsafe("UPDATE animal SET name = 'Mia' WHERE id = 1");
    const placing = place.store.placeOrder({ petId: 2n }) as Promise<Order>;
    await until(async () => (await countWaiting(observer)) === 1);
    isTriedAgain = await hand.unsafe("UPDATE animal SET name = 'Mia' WHERE id = 2").then(
      () => true,
      () => false,
    );
    await hand.unsafe(isTriedAgain ? "COMMIT" : "ROLLBACK");
    const order = await placing;
    expect(order).toMatchObject({ petId: 2n, status: "placed" });
    expect(await place.store.findAnimal(2n)).toMatchObject({ status: "pending" });
    if (!isTriedAgain) await place.store.updateOrder(order.id, "cancelled");
  }
  expect(await place.store.findAnimal(2n)).toMatchObject({ name: "Mia" });
});

test.each([
  ["the next id", insert(2, 2, "placed"), 3n],
  ["an id far ahead", insert(1_000_000, 2, "placed"), 1_000_001n],
  [
    "the last id of all",
    "INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) VALUES (9223372036854775807, 2, 'placed', 1, 1)",
    2n,
  ],
])("orders continue after an order that gets %s by hand", async (_, statement, next) => {
  await using place5 = await fresh(5);
  const { store, database } = place5;
  await place(store, 1n);
  await database.query(statement);
  expect((await place(store, 3n)).id).toBe(next);
  expect((await place(await place5.open(), 4n)).id).toBe(next + 1n);
});

test("orders continue while a transaction that has taken the next id stays open, and after its commit", async () => {
  await using place5 = await fresh(5);
  const { store } = place5;
  await place(store, 1n);
  await using hand = connect(place5);
  await using observer = connect(place5);
  await hand.unsafe("BEGIN");
  // At its commit it waits for the lock that an order holds. If an order waited for it, it would be ended.
  await hand.unsafe("SET LOCAL deadlock_timeout = 1");
  await hand.unsafe(insert(2, 2, "placed"));
  const placing = place(store, 3n);
  await until(async () => Bun.peek.status(placing) === "fulfilled" || (await countWaiting(observer)) > 0);
  await hand.unsafe("COMMIT");
  expect((await placing).id).toBe(3n);
  expect((await place(store, 4n)).id).toBe(4n);
  expect(await contradictions(place5)).toEqual([]);
});

test("an order that waits for a transaction which took the next id without triggers is tried again", async () => {
  await using place5 = await fresh(5);
  const { store } = place5;
  await place(store, 1n);
  await using hand = connect(place5);
  await hand.unsafe("BEGIN");
  await hand.unsafe("SET LOCAL session_replication_role = replica");
  await hand.unsafe(insert(2, 2, "placed"));
  expect((await place(store, 3n)).id).toBe(3n);
  await hand.unsafe("ROLLBACK");
});

test("orders succeed although ids were taken without triggers, as by logical replication", async () => {
  await using place5 = await fresh(5);
  const { store, database } = place5;
  await database.query("SET session_replication_role = replica");
  // More than the writer tries in a row.
  for (let id = 1; id <= 20; id++) await database.query(insert(id, 1, "cancelled"));
  await database.query("SET session_replication_role = origin");
  expect((await place(store, 3n)).id).toBe(21n);
});

/** Cuts the connection that a statement goes on: before the server gets it, or before it has answered. */
function cutting(marker: string, when: "before" | "after"): Interference {
  let cut: Link | undefined;
  return {
    toServer(data, link) {
      if (cut || !data.includes(marker)) return undefined;
      cut = link;
      return when === "before" ? "cut" : undefined;
    },
    toClient: (_, link) => (link === cut ? "cut" : undefined),
  };
}

test.each(["before", "after"] as const)(
  "an order whose connection ends %s it was stored gets 503, and a retry with its Idempotency-Key the truth",
  async (when) => {
    await using place = await fresh();
    const url = new URL(place.database.url);
    await using proxy = await startProxy(Number(url.port));
    url.hostname = "127.0.0.1";
    url.port = `${proxy.port}`;
    const store = await openPostgresStore(url.href, Date.now);
    const key = { line: 1, key: "unknown", digest: "0".repeat(64) };
    proxy.interference = cutting("unknown", when);
    expect(await store.placeOrder({ petId: 1n }, key).catch((error) => error)).toBeInstanceOf(StoreFailure);
    proxy.interference = {};
    let again: unknown;
    await until(async () => (again = await store.placeOrder({ petId: 1n }, key).catch(() => undefined)));
    if (when === "after") expect(again).toMatchObject({ replayed: { id: 1n, petId: 1n, status: "placed" } });
    else expect(again).toMatchObject({ id: 1n, petId: 1n, status: "placed" });
    expect(await place.database.query("SELECT 1 FROM store_order")).toHaveLength(1);
    await store.close();
  },
);

test("a role that owns nothing places and changes orders", async () => {
  await using place = await fresh();
  const { database } = place;
  await using admin = connect(place);
  await admin.unsafe("DO $$ BEGIN CREATE ROLE lesser LOGIN; EXCEPTION WHEN duplicate_object THEN END $$");
  const url = new URL(database.url);
  url.username = "lesser";
  await admin.unsafe("GRANT USAGE ON SCHEMA animal_store TO lesser");
  const rights = ["SELECT, INSERT, UPDATE, DELETE ON ALL TABLES", "SELECT, USAGE, UPDATE ON ALL SEQUENCES"];
  for (const right of rights) await admin.unsafe(`GRANT ${right} IN SCHEMA animal_store TO lesser`);
  await admin.unsafe("REVOKE ALL ON store_order FROM lesser");
  const refused = await openPostgresStore(url.href, Date.now).catch((error) => error);
  expect(String(refused)).toContain("(DELETE, INSERT, SELECT, UPDATE on the tables store_order)");
  for (const right of rights) await admin.unsafe(`GRANT ${right} IN SCHEMA animal_store TO lesser`);
  const store = await openPostgresStore(url.href, Date.now);
  try {
    const key = { line: 1, key: "a", digest: "0".repeat(64) };
    expect(await store.placeOrder({ petId: 1n }, key)).toMatchObject({ id: 1n });
    expect(await store.updateOrder(1n, "cancelled")).toMatchObject({ status: "cancelled" });
    expect(await store.placeOrder({ petId: 1n }, key)).toMatchObject({
      replayed: { id: 1n, status: "placed" },
    });
    expect(await statusOf(place, 1n)).toBe("available");
  } finally {
    await store.close();
  }
});
