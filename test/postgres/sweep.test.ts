import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { openStore } from "../../src/stores/open.ts";
import { openPool } from "../../src/stores/postgres/connect/open-pool.ts";
import { Sweep } from "../../src/stores/postgres/sweep.ts";
import type { TestDatabase } from "../support/database.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startPostgres } from "../support/postgres.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

const HOUR_MS = 60 * 60 * 1000;

/** How many entries of an index, deleted ones included, sessions of this program have read. They must have ended. */
async function entriesRead({ query }: TestDatabase, index: string): Promise<number> {
  const connected = `SELECT 1 FROM pg_stat_activity
                      WHERE datname = current_database() AND application_name = 'animal-store'`;
  while ((await query(connected)).length > 0) await Bun.sleep(10);
  const [row] = await query<{ count: bigint }>(
    `SELECT idx_tup_read AS count FROM pg_stat_user_indexes WHERE indexrelname = '${index}'`,
  );
  return Number(row?.count);
}

/** Holds a snapshot, as `pg_dump` does: no deleted row leaves an index. */
async function holdSnapshot(url: string): Promise<AsyncDisposable> {
  const sql = new SQL({ url, max: 1 });
  await sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await sql.unsafe("SELECT FROM animal_store.animal");
  return sql;
}

/** Deletes step by step until nothing is left to delete; returns how much was deleted. */
async function deleteAll(step: () => Promise<number>): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await step();
    if (count === 0) return deleted;
    deleted += count;
  }
}

const RECORDS = 6000;

test("while a snapshot is held, no idempotency record is passed again that was deleted before", async () => {
  await using database = await databases.create();
  await database.query(`INSERT INTO idempotency_key
    SELECT 1, 'k' || n, repeat('0', 64), n, n FROM generate_series(1, ${RECORDS}) n`);
  await using _ = await holdSnapshot(database.url);
  const before = await entriesRead(database, "idempotency_key_by_age");
  const store = await openStore(database.url, Date.now);
  expect(await deleteAll(() => store.deleteExpired())).toBe(RECORDS);
  await store.close();
  expect((await entriesRead(database, "idempotency_key_by_age")) - before).toBeLessThan(2 * RECORDS);
});

test("while a snapshot is held, no event is passed again that was deleted before", async () => {
  await using database = await databases.create();
  await database.query(`INSERT INTO event (id, type, at, animal_ids, names, category_ids, statuses)
    SELECT nextval('event_id_seq'), 'animal.created', n, '{1}', '{Rex}', '{1}', '{sold}'
      FROM generate_series(1, ${RECORDS}) n`);
  await using _ = await holdSnapshot(database.url);
  const indexes = ["event_pkey", "event_by_time"];
  const read = () => Promise.all(indexes.map((index) => entriesRead(database, index)));
  const before = await read();
  const store = await openStore(database.url, Date.now);
  expect(await deleteAll(() => store.deleteExpiredEvents(Date.now()))).toBe(RECORDS);
  await store.close();
  for (const [n, after] of (await read()).entries()) {
    // Each step looks for one later event, behind those that it deletes.
    expect(after - (before[n] as number), indexes[n]).toBeLessThan(3 * RECORDS);
  }
});

test("a sweep finds rows that came behind it within an hour", async () => {
  await using database = await databases.create();
  const pool = await openPool(database.url);
  try {
    let now = 0;
    const text = `WITH deleted AS (DELETE FROM animal_store.append_log WHERE number >= $1::bigint RETURNING number)
                  SELECT count(*) AS count, max(number) AS last FROM deleted`;
    const sweep = new Sweep(pool, text, { last: 0n }, () => now);
    const insert = (number: number) =>
      database.query(`INSERT INTO append_log OVERRIDING SYSTEM VALUE VALUES (${number})`);
    await database.query("DELETE FROM append_log");
    await insert(100);
    expect(await sweep.step()).toBe(1);
    await insert(50);
    now = HOUR_MS - 1;
    expect(await sweep.step()).toBe(0);
    now = HOUR_MS;
    expect(await sweep.step()).toBe(1);
    await insert(40);
    now = 2 * HOUR_MS - 1;
    expect(await sweep.step()).toBe(0);
  } finally {
    await pool.close();
  }
});
