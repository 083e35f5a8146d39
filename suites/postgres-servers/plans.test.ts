import { afterAll, expect, test } from "bun:test";
import { type Animal, STATUSES } from "../../src/domain/animal.ts";
import { SCOPES } from "../../src/domain/api-key.ts";
import { EVENT_TYPES, type EventPage } from "../../src/domain/change-event.ts";
import { IDEMPOTENCY_TTL_MS } from "../../src/domain/idempotency.ts";
import { ORDER_STATUSES, type Order, type OrderQuery } from "../../src/domain/order.ts";
import { SORTS, START } from "../../src/domain/page.ts";
import type { Store } from "../../src/domain/store.ts";
import { listPets } from "../../src/operations/list-pets.ts";
import { newKey } from "../../src/service/new-key.ts";
import { openSession } from "../../src/stores/postgres/connect/open-pool.ts";
import { runContract } from "../../test/http/contract/cases.ts";
import { type Statement, StatementRecorder } from "../../test/postgres/statement-recorder.ts";
import type { TestDatabase } from "../../test/support/database.ts";
import { PostgresDatabases } from "../../test/support/postgres/databases.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { type Service, startService } from "../../test/support/service.ts";

// What a request costs must not grow with the store: no statement of the service may read all of a table, or of an
// index, whenever its plan was made and whatever the server's statistics say. PostgreSQL counts what is read.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

/** So many animals, keys and retries: to read one kind in full is more than a test's requests may all together. */
const FILLED = 12_000;
const TIMES = 5;
const LIMIT = 10;
/** What tells whether more follow is read with a page. */
const READ_AT_ONCE = LIMIT + 1;
/** What a sweep of retries forgets at most. */
const SWEPT = 500;

type Work = (service: Service) => Promise<number>;

/** Runs a service on a database, which stays when it ends. */
async function withService(database: TestDatabase, work: Work): Promise<number> {
  await using service = await startService({}, async () => ({
    ...database,
    [Symbol.asyncDispose]: async () => {},
  }));
  return await work(service);
}

/** Holds that a service reads no more of a table than its requests may, and one sweep. */
async function expectFewReads(database: TestDatabase, work: Work): Promise<void> {
  const before = await countReads(database);
  const requests = await withService(database, async (service) => {
    const requests = await work(service);
    expect(await service.store.deleteExpired()).toBeGreaterThanOrEqual(SWEPT);
    await service.store.deleteExpiredEvents(0);
    return requests;
  });
  const most = requests * READ_AT_ONCE + SWEPT;
  expect(most, "what all requests may read: raise FILLED where there are more of them").toBeLessThan(FILLED);
  const after = await countReads(database);
  for (const table of ["animal", "api_key", "idempotency_key", "store_order", "event"]) {
    const read = (after.get(table) ?? 0) - (before.get(table) ?? 0);
    expect(read, `of ${table}`).toBeGreaterThan(0);
    expect(read, `of ${table}`).toBeLessThanOrEqual(most);
  }
  // A sweep reads a log's old rows once. A request that read them all would exceed this bound alone.
  for (const log of ["append_log", "rewrite_log"]) {
    const read = (after.get(log) ?? 0) - (before.get(log) ?? 0);
    expect(read, `of ${log}`).toBeGreaterThan(0);
    expect(read, `of ${log}`).toBeLessThanOrEqual(most + 2 * FILLED);
  }
}

/** How many rows of each table, and entries of its indexes, services have read so far. */
async function countReads({ query }: TestDatabase): Promise<ReadonlyMap<string, number>> {
  // A connection has told what it read when it has ended, at the latest.
  const connected = `SELECT 1 FROM pg_stat_activity
                      WHERE datname = current_database() AND application_name = 'animal-store'`;
  while ((await query(connected)).length > 0) await Bun.sleep(10);
  const rows = await query<{ name: string; count: bigint }>(`
    SELECT relname AS name, seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i
                                             WHERE i.relid = t.relid) AS count
      FROM pg_stat_user_tables t WHERE schemaname = 'animal_store'`);
  return new Map(rows.map(({ name, count }) => [name, Number(count)]));
}

/** Fills a store behind its service's back. Few animals and orders have a status that is looked for. */
async function fill(database: TestDatabase): Promise<void> {
  const { query } = database;
  const add = (table: string, rows: string) => addRows(database, table, rows);
  await add(
    "animal",
    `(id, name, category_id, status) SELECT nextval('animal_id_seq'), 'filled',
       CASE n % 2 WHEN 0 THEN n ELSE 1 END, CASE n % 1000 WHEN 0 THEN 'sold' ELSE 'available' END FROM generate_series(1, ${FILLED}) n`,
  );
  await add(
    "api_key",
    `(hash, name, scopes, environment, created_at, line)
     SELECT sha256(n::text::bytea), 'filled', '[]', 'production', 0, 1000000 + n FROM generate_series(1, ${FILLED}) n`,
  );
  const fresh = Date.now() + IDEMPOTENCY_TTL_MS;
  await add(
    "idempotency_key",
    `SELECT 1, 'filled ' || n, repeat('0', 64), n,
       CASE n % 2 WHEN 0 THEN n ELSE ${fresh} END FROM generate_series(1, ${FILLED}) n`,
  );
  // Without its checks, which would read each order's animal.
  await query("SET session_replication_role = replica");
  await add(
    "store_order",
    `SELECT nextval('store_order_id_seq'), 1, 'cancelled', n, n FROM generate_series(1, ${FILLED}) n`,
  );
  await query("SET session_replication_role = origin");
  await add(
    "event",
    `(id, type, at, animal_ids, names, category_ids, statuses)
     SELECT nextval('event_id_seq'), 'animal.created', n, '{1}', '{filled}', '{1}', '{sold}'
       FROM generate_series(1, ${FILLED}) n`,
  );
  for (const log of ["append_log", "rewrite_log"]) {
    await add(
      log,
      `OVERRIDING SYSTEM VALUE SELECT nextval('${log}_number_seq') FROM generate_series(1, ${FILLED})`,
    );
  }
}

/** Adds rows to a table. Of rows that all lack a value, an index by it cannot tell the few that are wanted. */
async function addRows({ query }: TestDatabase, table: string, rows: string): Promise<void> {
  const indexed = await query<{ name: string }>(`
    SELECT DISTINCT attname AS name FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
     WHERE indrelid = 'animal_store.${table}'::regclass`);
  const counts = indexed.map(({ name }) => `count(${name}) AS ${name}`);
  // What the insertion returns is not read from the table, where each row counts.
  const [filled = {}] = await query<Record<string, bigint>>(
    `WITH filled AS (INSERT INTO ${table} ${rows} RETURNING *) SELECT ${counts} FROM filled`,
  );
  const lacking = Object.keys(filled).filter((name) => Number(filled[name]) < FILLED / 2);
  expect(lacking, `columns of ${table} with an index, which this test fills`).toEqual([]);
}

let names = 0;

/** Does all that a service may be asked to do; returns how many requests that were. */
async function useAll({ store, call, create, issueKey }: Service): Promise<number> {
  let requests = 0;
  const ask = async (answer: Promise<Response>, status: number) => {
    requests++;
    const { status: answered, headers } = await answer;
    expect(answered).toBe(status);
    return /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  };
  const add = (name: string, status: number, headers = {}) =>
    ask(create(JSON.stringify({ name, categoryId: 1 }), headers), status);
  for (let time = 0; time < TIMES; time++) {
    const name = `${names++}`;
    await add(name, 201);
    for (const status of [201, 201]) await add(name, status, { "idempotency-key": name });
    await add("another", 422, { "idempotency-key": name });
    const filters = [
      // All animals, and those of each status.
      "",
      ...STATUSES.map((status) => `&status=${status}`),
    ];
    const queries = filters.flatMap((filter) => [filter, `${filter}&sort=-id`]);
    const parameters = Object.keys(listPets.parameters).filter((name) => !["limit", "cursor"].includes(name));
    const notAsked = parameters.filter((name) => !queries.some((query) => query.includes(`&${name}=`)));
    expect(notAsked, "parameters of the list that this test sends").toEqual([]);
    for (const filter of queries) {
      const next = await ask(call(`/v1/pets?limit=${LIMIT}${filter}`), 200);
      if (next) await ask(call(next), 200);
    }
    await ask(call("/v1/pets/1"), 200);
    await ask(call("/v1/pets/9000000000"), 404);
    requests += (await useOrders(store, name)) + (await useFeed(store));
    const { id, key } = await issueKey();
    const headers = { authorization: `Bearer ${key}` };
    await ask(call("/v1/pets/1", { headers }), 200);
    const makeKey = () =>
      newKey("production", { name, scopes: SCOPES, createdAt: Date.now(), expiresAt: null }).stored;
    expect(await store.addFirstKey(makeKey())).toBe(false);
    await store.replaceKey(id, makeKey(), Date.now());
    await store.revokeKey(id, Date.now());
    await ask(call("/v1/pets/1", { headers }), 401);
  }
  return requests;
}

/** Does all that may be done with store. */
async function useOrders(store: Store, name: string): Promise<number> {
  const add = async () =>
    ((await store.addAnimal({ name, categoryId: 1n, status: "available" })) as Animal).id;
  const retry = { line: 1, key: `order ${name}`, digest: "0".repeat(64) };
  const [one, two] = [await add(), await add()];
  const placed = (await store.placeOrder({ petId: one }, retry)) as Order;
  expect(await store.placeOrder({ petId: one }, retry)).toEqual({ replayed: placed });
  expect(await store.placeOrder({ petId: two })).toMatchObject({ petId: two });
  expect(await store.placeOrder({ petId: 9_000_000_000n })).toBe("animal_not_found");
  for (const status of ["approved", "delivered"] as const) {
    expect(await store.updateOrder(placed.id, status)).toMatchObject({ status });
  }
  expect(await store.updateOrder(9_000_000_000n, "approved")).toBe("order_not_found");
  expect(await store.findOrder(placed.id)).toMatchObject({ status: "delivered" });
  expect(await store.findOrder(placed.id, "pet")).toMatchObject({ pet: { status: "sold" } });
  for (const status of [undefined, ...ORDER_STATUSES]) {
    for (const petId of [undefined, 1n]) {
      for (const sort of SORTS) {
        for (const include of [undefined, "pet"] as const) {
          const query = { status, petId, sort, after: START[sort], limit: LIMIT, include };
          await store.listOrders(query satisfies Record<keyof OrderQuery, unknown>);
        }
      }
    }
  }
  return 49;
}

/** Reads the feed in every way. Creates and orders before have been recorded, and not, in turns. */
async function useFeed(store: Store): Promise<number> {
  const { newest } = (await store.listEvents({
    types: EVENT_TYPES,
    after: undefined,
    limit: 1,
  })) as EventPage;
  for (const types of [EVENT_TYPES, ["order.placed"], ["animal.created", "order.status_changed"]] as const) {
    for (const after of [undefined, newest]) await store.listEvents({ types, after, limit: LIMIT });
  }
  expect(await store.newestEventId()).toBe(newest);
  await store.recordEvents(!(await store.feedState()).isRecording);
  return 13;
}

/** Uses a store, and again when it has grown: connections keep the plans that they have made. */
async function useBeforeAndAfterFilling(service: Service, database: TestDatabase): Promise<number> {
  const requests = await useAll(service);
  await fill(database);
  return requests + (await useAll(service));
}

test("plans that were made while the store was empty read no table from end to end", async () => {
  await using database = await databases.create();
  await expectFewReads(database, (service) => useBeforeAndAfterFilling(service, database));
});

test("plans that were made while the store was known to be small read no table from end to end", async () => {
  await using database = await databases.create();
  await withService(database, useAll);
  // One change by hand: of a single row, the planner takes any way to the greatest number for the shortest.
  await database.query("UPDATE animal SET name = name WHERE id = 1");
  await database.query("VACUUM ANALYZE");
  await expectFewReads(database, (service) => useBeforeAndAfterFilling(service, database));
});

test("plans that were made while the store was known to be empty read no table from end to end", async () => {
  await using database = await databases.create();
  await withService(database, async () => 0);
  await database.query("VACUUM ANALYZE");
  await expectFewReads(database, (service) => useBeforeAndAfterFilling(service, database));
});

test("plans of a filled store, with statistics and without, read no table from end to end", async () => {
  await using database = await databases.create();
  await withService(database, async () => 0);
  await fill(database);
  await expectFewReads(database, useAll);
  await database.query("VACUUM ANALYZE");
  await expectFewReads(database, useAll);
});

/** The default of PostgreSQL's `jit_above_cost`: a server with JIT compiles a plan of this cost for 50 ms and more. */
const COST_MAX = 100_000;
const EXPLAINABLE = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE)\b/i;

const EMPTY = "every table is empty, and known to be";

/** What the tables' statistics may be when a plan is made. */
const STATISTICS: Readonly<Record<string, (database: TestDatabase) => Promise<unknown>>> = {
  "no table has statistics": async () => {},
  "every table holds a few rows, and is known to": async ({ query }) => query("VACUUM ANALYZE"),
  "every table is taken to have a billion rows": async ({ query }) =>
    query(`UPDATE pg_class SET reltuples = 1e9, relpages = greatest(pg_relation_size(oid) / 8192, 1)
            WHERE relnamespace = 'animal_store'::regnamespace AND relkind IN ('r', 'i')`),
  [EMPTY]: async ({ query }) => {
    const tables = await query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'animal_store' AND tablename NOT IN ('state', 'migration')",
    );
    // No trigger is to see that open orders go with their animals.
    await query("SET session_replication_role = replica");
    await query(`TRUNCATE ${tables.map(({ name }) => name).join(", ")}`);
    await query("SET session_replication_role = origin");
    await query("VACUUM ANALYZE");
  },
};

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Total Cost": number;
  readonly Disabled?: boolean;
  readonly "Join Filter"?: string;
  readonly Plans?: readonly Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Whether a join looks for equals by comparing each row of a batch with each other row: a batch may have a thousand. */
function comparesAll({ "Node Type": type, "Join Filter": filter, Plans }: Plan): boolean {
  const inner = Plans?.at(-1)?.["Node Type"] ?? "";
  return type === "Nested Loop" && / = /.test(filter ?? "") && ["CTE Scan", "Materialize"].includes(inner);
}

/** The plans of statements in a session of the service's own making, as it keeps them. */
async function plansOf(url: string, statements: Iterable<Statement>): Promise<Map<string, Plan>> {
  const { sql } = await openSession(url);
  try {
    expect((await sql`SHOW jit`)[0].jit).toBe("off");
    const plans = new Map<string, Plan>();
    for (const { text, types } of statements) {
      const named = await Promise.all(
        types.map(async (oid) =>
          oid === 0 ? "unknown" : (await sql`SELECT ${oid}::oid::regtype::text AS name`)[0].name,
        ),
      );
      await sql.unsafe(`PREPARE statement ${named.length ? `(${named})` : ""} AS ${text}`).simple();
      const values = named.length ? `(${named.map(() => "NULL")})` : "";
      const [row] = await sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE statement ${values}`).simple();
      const explained = row["QUERY PLAN"][0] as { Plan: Plan };
      plans.set(text, explained.Plan);
      await sql.unsafe("DEALLOCATE statement").simple();
    }
    return plans;
  } finally {
    await sql.close({ timeout: 0 });
  }
}

test("no statement reads a whole table, compares all rows of a batch with each other, or costs enough for JIT", async () => {
  await using database = await databases.create();
  await using proxy = await startProxy(Number(new URL(database.url).port || 5432));
  const recorder = new StatementRecorder();
  proxy.interference = recorder;
  const url = new URL(database.url);
  url.hostname = "127.0.0.1";
  url.port = `${proxy.port}`;
  await withService({ ...database, url: url.href }, async (service) => {
    // Whatever operations there are: each has cases in `contract/`.
    await runContract(service);
    await useAll(service);
    await service.store.deleteExpired();
    await service.store.deleteExpiredEvents(0);
    await service.store.checkWriting();
    return 0;
  });
  const statements = recorder.statements().filter(({ text }) => EXPLAINABLE.test(text));
  expect(statements.length).toBeGreaterThan(20);
  for (const [when, make] of Object.entries(STATISTICS)) {
    await make(database);
    for (const [text, plan] of await plansOf(database.url, statements)) {
      const said = `where ${when}: ${text}\n${JSON.stringify(plan, undefined, 1)}`;
      for (const node of nodesOf(plan)) {
        expect(node["Node Type"], said).not.toBe("Seq Scan");
        expect(node.Disabled ?? false, said).toBe(false);
        // Of a table that is known to be empty the planner expects one row, until the server analyzes it again.
        if (when !== EMPTY) expect(comparesAll(node), said).toBe(false);
      }
      // Before version 18 a disabled node shows in this alone.
      expect(plan["Total Cost"], said).toBeLessThan(COST_MAX);
    }
  }
});
