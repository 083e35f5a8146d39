import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { type ChangeEvent, EVENT_TYPES, type EventPage } from "../../src/domain/change-event.ts";
import type { Store } from "../../src/domain/store.ts";
import { POSTGRES_MIGRATIONS } from "../../src/stores/migrations.ts";
import { openBulkStore, openSchema, openStore } from "../../src/stores/open.ts";
import { OF_ORDERS } from "../../src/stores/postgres/event-row.ts";
import { FIRST_SCHEMA_VERSION } from "../../src/stores/schema-version.ts";
import { EVENT_ARRAYS } from "../../src/stores/tables.ts";
import { eventConformance } from "../stores/event-conformance.ts";
import { type OpenedPlace, openPlace } from "../stores/place.ts";
import { addAnimals, place } from "../stores/stock-and-orders.ts";
import type { TestDatabase } from "../support/database.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startPostgres } from "../support/postgres.ts";
import { revisionOf } from "../support/revision-of.ts";
import { until } from "../support/until.ts";
import { connectAgain } from "./connect-again.ts";

// The feed of a database that many write to. What both engines promise is in test/stores/event-conformance.ts.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

eventConformance("PostgreSQL", () => databases.create());

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

type Stores = OpenedPlace<TestDatabase, Store>;

async function recording(): Promise<Stores> {
  const stores = await openPlace(() => databases.create(), openStore);
  await stores.store.recordEvents(true);
  return stores;
}

/** The events after a position; `undefined` is the beginning. */
async function pageAfter(store: Store, after: bigint | undefined): Promise<EventPage> {
  return (await store.listEvents({ types: EVENT_TYPES, after, limit: 100 })) as EventPage;
}

/** Reads the feed from its beginning until `ended`, and then to its end. */
async function follow(store: Store, ended: () => boolean): Promise<ChangeEvent[]> {
  const seen: ChangeEvent[] = [];
  for (let more = true; more; ) {
    more = !ended();
    const { items } = await pageAfter(store, seen.at(-1)?.id);
    seen.push(...items);
    more ||= items.length > 0;
  }
  return seen;
}

/** One animal, as a row of events has it. */
const REX = "'{1}', '{Rex}', '{1}', '{sold}'";

/** Another program that writes events by the rules, and rolls some of them back. */
async function writeByHand(url: string, times: number): Promise<void> {
  await using hand = new SQL({ url, max: 1, connection: { search_path: "animal_store" } });
  for (let time = 0; time < times; time++) {
    await hand.unsafe("BEGIN; SELECT lock_feed()").simple();
    await hand.unsafe(`INSERT INTO event (id, type, at, animal_ids, names, category_ids, statuses)
                       SELECT nextval('event_id_seq'), 'animal.created', 1, ${REX} FROM generate_series(1, 3)`);
    await Bun.sleep(2);
    await hand.unsafe(time % 3 === 0 ? "ROLLBACK" : "COMMIT");
  }
}

test("readers of a feed with six writers miss no event, and see ids ascend", async () => {
  await using stores = await recording();
  const writers = [stores.store, ...(await Promise.all(Array.from({ length: 4 }, () => stores.open())))];
  const readers = [await stores.open(), await stores.open()];
  let ended = false;
  const reading = readers.map((reader) => follow(reader, () => ended));
  await Promise.all([
    writeByHand(stores.url, 100),
    ...writers.map(async (store) => {
      for (let round = 0; round < 25; round++) {
        const ids = await addAnimals(store, 4);
        const [orders] = await Promise.all([
          Promise.all(ids.map((id) => place(store, id))),
          addAnimals(store, 4),
        ]);
        await Promise.all([
          ...orders.map(({ id }) => store.updateOrder(id, "cancelled")),
          addAnimals(store, 2),
        ]);
      }
    }),
  ]).finally(() => {
    ended = true;
  });
  const kept = await stores.place.query<{ id: string }>(
    "SELECT generate_series(id - events + 1, id) AS id FROM event ORDER BY id",
  );
  // 5 writers, 25 rounds: 10 animals, and 4 orders of 4 events each; and what was not rolled back.
  expect(kept).toHaveLength(5 * 25 * (10 + 4 * 4) + 66 * 3);
  for (const seen of await Promise.all(reading)) {
    expect(seen.map(({ id }) => id)).toEqual(kept.map(({ id }) => BigInt(id)));
  }
});

const DIGEST = "0".repeat(64);

/** Each kind of change that the service records. There are two animals, and an order of the second one. */
const CHANGES: readonly (readonly [what: string, make: (store: Store) => Promise<unknown>])[] = [
  ["a create", async (store) => store.addAnimal(rex)],
  [
    "a create with an Idempotency-Key",
    async (store) => store.addAnimal(rex, { line: 1, key: "a", digest: DIGEST }),
  ],
  ["an order", async (store) => store.placeOrder({ petId: 1n })],
  ["a change of an order", async (store) => store.updateOrder(1n, "cancelled")],
];

/** Begins a change while a transaction by hand keeps it from being written; it ends with that transaction's commit. */
async function changeBehind(
  { store, place: database }: Stores,
  { statements, make }: { statements: string; make: (store: Store) => Promise<unknown> },
): Promise<void> {
  await using hand = new SQL({ url: database.url, max: 1, connection: { search_path: "animal_store" } });
  await hand.unsafe(`BEGIN; ${statements}`).simple();
  const changing = make(store);
  const isPending = () => Bun.peek.status(changing) === "pending";
  const waiting =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await until(async () => !isPending() || (await database.query(waiting)).length > 0);
  expect(isPending()).toBe(true);
  await hand.unsafe("COMMIT");
  await changing;
}

test.each([...CHANGES])("%s waits for the transaction before it in the feed", async (_, make) => {
  await using stores = await recording();
  await addAnimals(stores.store, 2);
  await place(stores.store, 2n);
  const before = await stores.store.newestEventId();
  await changeBehind(stores, {
    statements: `SELECT lock_feed(); INSERT INTO event (id, type, at, animal_ids, names, category_ids, statuses)
                 VALUES (nextval('event_id_seq'), 'animal.created', 1, ${REX})`,
    make,
  });
  const { items } = await pageAfter(stores.store, before);
  expect(items.length).toBeGreaterThan(1);
  expect(items[0]).toMatchObject({ id: before + 1n, at: 1 });
});

test.each([...CHANGES])("%s that waits until recording has begun is recorded", async (_, make) => {
  await using stores = await openPlace(() => databases.create(), openStore);
  await addAnimals(stores.store, 2);
  await place(stores.store, 2n);
  await changeBehind(stores, { statements: "SELECT record_events(true)", make });
  const { items } = await pageAfter(stores.store, undefined);
  expect(items.length).toBeGreaterThan(0);
});

test("while nothing is recorded, a transaction that locks the feed delays no create", async () => {
  await using stores = await openPlace(() => databases.create(), openStore);
  await using hand = new SQL({ url: stores.url, max: 1, connection: { search_path: "animal_store" } });
  await hand.unsafe("BEGIN; SELECT lock_feed()").simple();
  await addAnimals(stores.store, 3);
  await hand.unsafe("ROLLBACK");
});

test("an import of animals with orders does not lock the feed while it waits for other orders", async () => {
  await using stores = await recording();
  await using bulk = await openBulkStore(stores.url, "write", Date.now);
  await using staging = await bulk.stage();
  await staging.add([rex]);
  await using hand = new SQL({ url: stores.url, max: 1, connection: { search_path: "animal_store" } });
  await hand.unsafe("BEGIN; SELECT lock_rewrites()").simple();
  const placed = { status: "cancelled", placedAt: 1, updatedAt: 1 } as const;
  const publishing = staging.publish({
    digest: undefined,
    commitEvery: 1,
    onProgress() {},
    orders: (petId) => [[{ petId, ...placed }]],
  });
  await until(async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (await stores.place.query(waiting)).length === 1;
  });
  // As an order does.
  await hand.unsafe("SELECT lock_feed()");
  await hand.unsafe("COMMIT");
  const { firstId } = await publishing;
  const { items } = await stores.store.listOrders({ status: undefined, petId: firstId, after: 0n, limit: 1 });
  expect(items).toMatchObject([{ petId: firstId, status: "cancelled" }]);
});

test("changes succeed although replication copied events without their sequence", async () => {
  await using stores = await recording();
  await stores.place.query(`INSERT INTO event (id, type, at, animal_ids, names, category_ids, statuses)
                            SELECT n, 'animal.created', 1, ${REX} FROM generate_series(2, 9) n`);
  const [id] = await addAnimals(stores.store, 1);
  expect(await stores.store.newestEventId()).toBe(10n);
  await stores.place.query(`INSERT INTO event (id, type, at, animal_ids, names, category_ids, statuses)
                            SELECT n, 'animal.created', 1, ${REX} FROM generate_series(11, 19) n`);
  await place(stores.store, id as bigint);
  expect(await stores.store.newestEventId()).toBe(21n);
});

test("event ids continue above another server's, so that a position among lost events is never passed", async () => {
  await using stores = await recording();
  const { store, place: database } = stores;
  const kept = await lastIdAfter(store);
  const lost = await lastIdAfter(store);
  // As a standby that is promoted without the last event.
  await database.query(`DELETE FROM event WHERE id = ${lost}`);
  await database.query(`SELECT setval('event_id_seq', ${kept})`);
  await database.query("UPDATE feed SET server = 'another'");
  await connectAgain(store, database);
  const next = await lastIdAfter(store);
  expect(next).toBeGreaterThan(2n ** 32n);
  expect(Number(next)).toBeLessThan(Date.now() * 1000 + 1);
  const after = (position: bigint) =>
    store.listEvents({ types: EVENT_TYPES, after: position, limit: 100 }) as Promise<EventPage | "expired">;
  expect(await after(lost)).toBe("expired");
  expect(await after(kept)).toMatchObject({ items: [{ id: next }], newest: next });
  // From there ids ascend one by one, also where another instance or a command begins.
  const other = await stores.open();
  expect(await lastIdAfter(other)).toBe(next + 1n);
  expect(await lastIdAfter(store)).toBe(next + 2n);
});

/** The number of 0.3.0's last migration. */
const LAST_OF_0_3_0 = 16;

/** The id of the first event of a store. */
async function firstIdAt(url: string): Promise<bigint> {
  await using stores = await openPlace(async () => ({ url, async [Symbol.asyncDispose]() {} }), openStore);
  await stores.store.recordEvents(true);
  return await lastIdAfter(stores.store);
}

async function migrate(url: string): Promise<void> {
  const schema = await openSchema(url, () => {});
  await schema.migrate();
  await schema.close();
}

test("event ids continue above another server's even if this server has received no more than the new store", async () => {
  const [first, promoted] = [await server.createDatabase(), await server.createDatabase()];
  await migrate(first);
  const [from, to] = [first, promoted].map((url) => new URL(url).pathname.slice(1));
  await using hand = new SQL({ url: server.url, max: 1 });
  await hand.unsafe(`DROP DATABASE ${to}`);
  await hand.unsafe(`CREATE DATABASE ${to} TEMPLATE ${from}`);
  expect(await firstIdAt(first)).toBe(2n);
  expect(await firstIdAt(promoted)).toBeGreaterThan(2n ** 32n);
});

test("event ids continue above another server's in a store that 0.3.0 made and no instance has opened since", async () => {
  await using database = await databases.createEmpty();
  await database.query("CREATE SCHEMA animal_store");
  await database.query("CREATE TABLE animal_store.migration (number integer PRIMARY KEY)");
  for (const [at, migration] of POSTGRES_MIGRATIONS.slice(
    0,
    LAST_OF_0_3_0 + 1 - FIRST_SCHEMA_VERSION,
  ).entries()) {
    await database.query(migration);
    await database.query(`INSERT INTO animal_store.migration VALUES (${FIRST_SCHEMA_VERSION + at})`);
  }
  expect(await firstIdAt(database.url)).toBeGreaterThan(2n ** 32n);
});

test("event ids continue above another server's even if this server's clock is behind", async () => {
  await using stores = await recording();
  const before = 2n ** 60n;
  await stores.place.query(`SELECT setval('event_id_seq', ${before})`);
  await stores.place.query("UPDATE feed SET server = 'another'");
  const other = await stores.open();
  expect(await lastIdAfter(other)).toBe(before + 2n ** 32n + 1n);
});

test("an expired event is deleted again if a server took over without its deletion", async () => {
  await using stores = await recording();
  const { store, place: database } = stores;
  await addAnimals(store, 3);
  const deletions = await database.query<{ id: string; expired: string }>(
    "SELECT max(id) AS id, (SELECT expired_through FROM feed) AS expired FROM event",
  );
  const [before] = deletions as [{ id: string; expired: string }];
  const all = "id, type, at, events, animal_ids, names, category_ids, statuses";
  await database.query(`CREATE TABLE public.kept AS SELECT ${all} FROM event`);
  while ((await store.deleteExpiredEvents(Date.now() + 1)) > 0);
  expect(await database.query("SELECT FROM event")).toHaveLength(0);
  await database.query(`INSERT INTO event (${all}) SELECT ${all} FROM public.kept`);
  await database.query(`UPDATE feed SET expired_through = ${before.expired}`);
  await connectAgain(store, database);
  expect(await store.deleteExpiredEvents(Date.now() + 1)).toBe(3);
  expect(await database.query("SELECT FROM event")).toHaveLength(0);
  const [feed] = await database.query<{ expired: string }>("SELECT expired_through AS expired FROM feed");
  expect(feed?.expired).toBe(before.id);
});

test("the events of 64 creates are stored without compression, which would take half of their cost", async () => {
  await using stores = await recording();
  await addAnimals(stores.store, 64);
  const columns = ["animal_ids", "names", "category_ids", "statuses"];
  const compressed = columns.map((column) => `pg_column_compression(${column}) IS NOT NULL`).join(" OR ");
  expect(await stores.place.query(`SELECT id FROM event WHERE ${compressed}`)).toEqual([]);
  expect(await stores.place.query("SELECT id FROM event WHERE events = 64")).toHaveLength(1);
});

test("rows of the program, which the trigger for other programs does not see, are well formed", async () => {
  await using stores = await recording();
  const { store, place: database } = stores;
  const [one, two, three] = (await addAnimals(store, 3)) as [bigint, bigint, bigint];
  const idempotency = { line: 1, key: "a", digest: "0".repeat(64) };
  await Promise.all([addAnimals(store, 3), store.addAnimal(rex, idempotency)]);
  const orders = [await place(store, one), await place(store, two)] as const;
  await store.updateOrder(orders[0].id, "cancelled");
  await store.updateOrder(orders[1].id, "approved");
  await using bulk = await openBulkStore(stores.url, "write", Date.now);
  await bulk.corrections.correct([three, three + 1n], { status: "sold" }, { by: "hand", at: 1 });
  const types = await database.query<{ type: string }>("SELECT DISTINCT type FROM event");
  expect(types.map(({ type }) => type).sort()).toEqual([...EVENT_TYPES].sort());
  await database.query("UPDATE event SET at = at");
});

test("the trigger for other programs refuses a row that lacks a member of an animal, whichever it is", async () => {
  await using stores = await recording();
  await addAnimals(stores.store, 2);
  for (const array of Object.values(EVENT_ARRAYS)) {
    const more = stores.place.query(
      `UPDATE event SET ${array} = array_append(${array}, NULL) WHERE events = 2`,
    );
    expect(await more.then(() => array, String)).toContain("is malformed");
  }
});

test("the trigger for other programs refuses an order's row that lacks what each order has, or an animal's that has it", async () => {
  await using stores = await recording();
  const [animal] = await addAnimals(stores.store, 1);
  await place(stores.store, animal as bigint);
  const optional = await stores.place.query<{ name: string }>(
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = 'store_order'::regclass AND attnum > 0 AND NOT attnotnull",
  );
  for (const { column, name } of OF_ORDERS) {
    const isOptional = optional.some((each) => each.name === name);
    for (const change of [
      ...(isOptional ? [] : [`SET ${column} = NULL WHERE type = 'order.placed'`]),
      `SET ${column} = '1' WHERE type = 'animal.created'`,
    ]) {
      const changed = stores.place.query(`UPDATE event ${change}`);
      expect(await changed.then(() => change, String)).toContain("is malformed");
    }
  }
});

/** Adds an animal, and returns the id of its event. */
async function lastIdAfter(store: Store): Promise<bigint> {
  await addAnimals(store, 1);
  return store.newestEventId();
}

test("switching recording on invalidates pages of the feed that instances have cached", async () => {
  await using stores = await openPlace(() => databases.create(), openStore);
  const before = await revisionOf(stores.store);
  await stores.store.recordEvents(true);
  expect((await revisionOf(stores.store)).rewrite).toBeGreaterThan(before.rewrite);
});
