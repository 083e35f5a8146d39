import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Animal } from "../../src/domain/animal.ts";
import type { Store } from "../../src/domain/store.ts";
import type { Observation } from "../../src/observations/observation.ts";
import { openStore } from "../../src/stores/open.ts";
import type { TestDatabase } from "../support/database.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startOwnPostgres, startPostgres } from "../support/postgres.ts";
import { revisionOf } from "../support/revision-of.ts";
import { until } from "../support/until.ts";
import { connectAgain } from "./connect-again.ts";

// Ids, and what tells of changes, beside other hands in the same database: docs/decisions/0007-append-only-order.md.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;

interface Place extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly store: Store;
}

async function fresh(): Promise<Place> {
  const database = await databases.create();
  const store = await openStore(database.url, Date.now);
  return {
    database,
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function add(store: Store): Promise<bigint> {
  return ((await store.addAnimal(rex)) as Animal).id;
}

async function addMany(store: Store, count: number): Promise<bigint[]> {
  return Promise.all(Array.from({ length: count }, () => add(store)));
}

/** A connection of somebody else's, with a transaction begun. */
async function begin(url: string): Promise<SQL> {
  const sql = new SQL({ url, max: 1, connection: { search_path: "animal_store" } });
  await sql.unsafe("BEGIN");
  return sql;
}

/** Whether a create waits for a transaction or a lock. */
async function isWaiting({ query }: TestDatabase): Promise<boolean> {
  const waiting = await query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return waiting.length > 0;
}

test("no create, change of an animal, sweep or probe writes a version of the row that every request reads", async () => {
  await using place = await fresh();
  const { store, database } = place;
  const version = async () => (await database.query("SELECT ctid, xmin FROM state"))[0];
  const before = await version();
  const digest = "0".repeat(64);
  for (let n = 0; n < 5; n++) {
    await add(store);
    for (let time = 0; time < 2; time++) await store.addAnimal(rex, { line: 1, key: `${n}`, digest });
    await database.query("UPDATE animal SET status = 'sold'");
  }
  await store.deleteExpired();
  const other = await openStore(database.url, Date.now);
  await other.checkWriting();
  await other.close();
  expect(await version()).toEqual(before);
});

test("a change that was begun before another, and committed after it, is not missed", async () => {
  await using place = await fresh();
  const { store, database } = place;
  await addMany(store, 2);
  await using early = await begin(database.url);
  await early.unsafe("UPDATE animal SET status = 'sold' WHERE id = 1");
  await database.query("UPDATE animal SET status = 'sold' WHERE id = 2");
  const between = await revisionOf(store);
  await early.unsafe("COMMIT");
  expect((await revisionOf(store)).rewrite).toBeGreaterThan(between.rewrite);
});

test("a change whose trigger runs before its commit keeps no create waiting", async () => {
  await using place = await fresh();
  const { store, database } = place;
  await addMany(store, 2);
  await using hand = await begin(database.url);
  await hand.unsafe("SET CONSTRAINTS ALL IMMEDIATE");
  await hand.unsafe("UPDATE animal SET status = 'sold' WHERE id = 1");
  expect(await add(store)).toBe(3n);
  await hand.unsafe("COMMIT");
});

test("a change that is rolled back, in part or in whole, leaves the revision unchanged", async () => {
  await using place = await fresh();
  const { store, database } = place;
  await addMany(store, 2);
  const before = await revisionOf(store);
  await using hand = await begin(database.url);
  await hand.unsafe("SAVEPOINT s");
  await hand.unsafe("UPDATE animal SET status = 'sold'");
  await hand.unsafe("ROLLBACK TO s");
  await hand.unsafe("COMMIT");
  expect(await revisionOf(store)).toEqual(before);
  await hand.unsafe("BEGIN");
  await hand.unsafe("SAVEPOINT s");
  await hand.unsafe("UPDATE animal SET status = 'sold'");
  await hand.unsafe("ROLLBACK TO s");
  await hand.unsafe("UPDATE animal SET status = 'pending'");
  await hand.unsafe("COMMIT");
  expect((await revisionOf(store)).rewrite).toBeGreaterThan(before.rewrite);
});

test("a change within a repeatable snapshot that is older than other changes is committed", async () => {
  await using place = await fresh();
  const { store, database } = place;
  await addMany(store, 2);
  const hand = new SQL({ url: database.url, max: 1, connection: { search_path: "animal_store" } });
  await hand.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await hand.unsafe("SELECT FROM animal");
  await database.query("UPDATE animal SET status = 'sold' WHERE id = 2");
  await add(store);
  const before = await revisionOf(store);
  await hand.unsafe("UPDATE animal SET status = 'sold' WHERE id = 1");
  await hand.unsafe("INSERT INTO animal (id, name, category_id, status) VALUES (50, 'Mia', 1, 'sold')");
  await hand.unsafe("COMMIT");
  await hand.close();
  expect((await revisionOf(store)).rewrite).toBeGreaterThan(before.rewrite);
  expect(await add(store)).toBe(51n);
});

test.each([
  ["the next id", "INSERT INTO animal (id, name, category_id, status) VALUES (4, 'Mia', 1, 'sold')", 5n],
  [
    "many next ids",
    "INSERT INTO animal (id, name, category_id, status) SELECT n, 'Mia', 1, 'sold' FROM generate_series(4, 2000) n",
    2001n,
  ],
  [
    "an id far ahead",
    "INSERT INTO animal (id, name, category_id, status) VALUES (1000000, 'Mia', 1, 'sold')",
    1_000_001n,
  ],
  ["another id by a change", "UPDATE animal SET id = 9 WHERE id = 1", 10n],
  [
    "an id from the sequence",
    "INSERT INTO animal (id, name, category_id, status) VALUES (nextval('animal_id_seq'), 'Mia', 1, 'sold')",
    5n,
  ],
  [
    "the last id of all",
    "INSERT INTO animal (id, name, category_id, status) VALUES (9223372036854775807, 'Mia', 1, 'sold')",
    4n,
  ],
])("creates continue after an animal that gets %s by hand", async (_, statement, next) => {
  await using place = await fresh();
  const { store, database } = place;
  await addMany(store, 3);
  await database.query(statement);
  expect(await add(store)).toBe(next);
  const other = await openStore(database.url, Date.now);
  expect(await addMany(other, 3)).toEqual([next + 1n, next + 2n, next + 3n]);
  await other.close();
});

test("creates succeed although ids were taken without triggers, as by logical replication", async () => {
  await using place = await fresh();
  const { store, database } = place;
  await addMany(store, 3);
  await database.query("SET session_replication_role = replica");
  await database.query(
    "INSERT INTO animal (id, name, category_id, status) SELECT n, 'Mia', 1, 'sold' FROM generate_series(4, 5) n",
  );
  expect(await add(store)).toBe(6n);
  await database.query(
    "INSERT INTO animal (id, name, category_id, status) SELECT n, 'Mia', 1, 'sold' FROM generate_series(10, 2000) n",
  );
  const digest = "0".repeat(64);
  const added = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      store.addAnimal(rex, n % 2 === 0 ? { line: 1, key: `${n}`, digest } : undefined),
    ),
  );
  const ids = added.map((animal) => (animal as Animal).id);
  expect(ids).toEqual(ids.toSorted((a, b) => Number(a - b)));
  expect(ids[0]).toBeGreaterThan(2000n);
  // What never collided is found at the next start.
  await database.query("INSERT INTO animal (id, name, category_id, status) VALUES (9000, 'Mia', 1, 'sold')");
  const other = await openStore(database.url, Date.now);
  expect(await add(other)).toBe(9001n);
  await other.close();
});

test.each([
  ["the next id", "INSERT INTO animal (id, name, category_id, status) VALUES (4, 'Mia', 1, 'sold')", 5n],
  [
    "many next ids",
    "INSERT INTO animal (id, name, category_id, status) SELECT n, 'Mia', 1, 'sold' FROM generate_series(4, 2000) n",
    2001n,
  ],
  ["the next id by a change", "UPDATE animal SET id = 4 WHERE id = 1", 5n],
])(
  "creates continue while a transaction that has taken %s stays open, and after its commit",
  async (_, statement, next) => {
    await using place = await fresh();
    const { store, database } = place;
    await addMany(store, 3);
    await using hand = await begin(database.url);
    // At its commit it waits for the lock that a create holds. If a create waited for it, it would be ended.
    await hand.unsafe("SET LOCAL deadlock_timeout = 1");
    await hand.unsafe(statement);
    const creating = addMany(store, 2);
    await until(async () => Bun.peek.status(creating) === "fulfilled" || (await isWaiting(database)));
    await hand.unsafe("COMMIT");
    expect(await creating).toEqual([next, next + 1n]);
    expect(await add(store)).toBe(next + 2n);
  },
);

test.each(["and commits", "and stays open"])(
  "a create that waits for a transaction which took the next id without triggers %s is tried again",
  async (how) => {
    await using place = await fresh();
    const { store, database } = place;
    await addMany(store, 3);
    await using hand = await begin(database.url);
    // So it waits at its commit for the lock that the create holds, and the create is ended first.
    await hand.unsafe("UPDATE animal SET id = 3 WHERE id = 3");
    await hand.unsafe("SET LOCAL session_replication_role = replica");
    await hand.unsafe("INSERT INTO animal (id, name, category_id, status) VALUES (4, 'Mia', 1, 'sold')");
    await hand.unsafe("SET LOCAL deadlock_timeout = '1h'");
    const creating = add(store);
    await until(() => isWaiting(database));
    if (how === "and commits") await hand.unsafe("COMMIT");
    expect(await creating).toBe(5n);
    if (how === "and stays open") await hand.unsafe("ROLLBACK");
    expect(await add(store)).toBe(6n);
  },
);

test("old rows of the logs are deleted, the newest stay, and no revision goes back", async () => {
  await using place = await fresh();
  const { store, database } = place;
  await add(store);
  for (const log of ["append_log", "rewrite_log"]) {
    await database.query(`INSERT INTO ${log} SELECT FROM generate_series(1, 25000)`);
  }
  const before = await revisionOf(store);
  while ((await store.deleteExpired()) > 0);
  expect(await revisionOf(store)).toEqual(before);
  for (const log of ["append_log", "rewrite_log"]) {
    const [row] = await database.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${log}`);
    expect(Number(row?.count)).toBe(1000);
  }
  await add(store);
  expect((await revisionOf(store)).append).toBe(before.append + 1);
});

test("old rows of the logs are deleted again if a server took over without their deletion", async () => {
  await using place = await fresh();
  const { store, database } = place;
  for (const log of ["append_log", "rewrite_log"]) {
    await database.query(`INSERT INTO ${log} SELECT FROM generate_series(1, 1500)`);
  }
  while ((await store.deleteExpired()) > 0);
  for (const log of ["append_log", "rewrite_log"]) {
    await database.query(`INSERT INTO ${log} OVERRIDING SYSTEM VALUE SELECT generate_series(1, 400)`);
  }
  await connectAgain(store, database);
  while ((await store.deleteExpired()) > 0);
  for (const log of ["append_log", "rewrite_log"]) {
    expect(await database.query(`SELECT FROM ${log}`)).toHaveLength(1000);
  }
});

test("creates, keys and changes succeed in a store whose rows were copied without its sequences", async () => {
  await using place = await fresh();
  const { store, database } = place;
  const key = (name: string) => ({
    hash: Bun.SHA256.hash(name) as Uint8Array,
    environment: "production" as const,
    name,
    scopes: [],
    createdAt: 1,
    expiresAt: null,
  });
  const ids = await addMany(store, 3);
  await store.addKey(key("one"));
  await database.query("UPDATE animal SET status = 'sold'");
  // As logical replication leaves a subscriber.
  const sequences = await database.query<{ name: string }>(
    "SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'animal_store'",
  );
  expect(sequences).toHaveLength(7);
  for (const { name } of sequences) await database.query(`ALTER SEQUENCE ${name} RESTART`);
  const other = await openStore(database.url, Date.now);
  expect(await add(other)).toBeGreaterThan(ids.at(-1) as bigint);
  expect((await other.addKey(key("two"))).id).toBeGreaterThan(1);
  await database.query("UPDATE animal SET status = 'pending'");
  await other.close();
});

test("no id is given twice after a crash of the server", async () => {
  await using own = await startOwnPostgres();
  const store = await openStore(await own.createDatabase(), Date.now);
  const ids = await addMany(store, 3);
  for (let time = 0; time < 3; time++) {
    await own.kill();
    await own.startAgain();
    let id: bigint | undefined;
    while (id === undefined) id = await add(store).catch(() => undefined);
    ids.push(id);
  }
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => Number(a - b)));
  await store.close();
});

test("a change by hand succeeds although replication copied rows of its log without their sequence", async () => {
  await using database = await databases.create();
  const store = await openStore(database.url, Date.now);
  await add(store);
  const before = await revisionOf(store);
  await database.query("INSERT INTO rewrite_log OVERRIDING SYSTEM VALUE VALUES (1), (2)");
  await database.query("UPDATE animal SET status = 'pending'");
  const { rewrite } = await revisionOf(store);
  expect(rewrite).toBe(before.rewrite + 3);
  await store.close();
});

test("of instances that start at once on an empty database, one reports that it changed the schema", async () => {
  await using database = await databases.createEmpty();
  const events: Observation[] = [];
  const emit = (event: Observation) => events.push(event);
  const starting = Array.from({ length: 4 }, () => openStore(database.url, Date.now, { emit }));
  for (const store of await Promise.all(starting)) await store.close();
  expect(events.filter(({ event }) => event === "schema_changed")).toEqual([
    { event: "schema_changed", from: 0, to: expect.any(Number) },
  ]);
});
