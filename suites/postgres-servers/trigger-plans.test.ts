import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Animal } from "../../src/domain/animal.ts";
import type { Order } from "../../src/domain/order.ts";
import type { Store } from "../../src/domain/store.ts";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import type { TestDatabase } from "../../test/support/database.ts";
import { PostgresDatabases } from "../../test/support/postgres/databases.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { NoticeRecorder } from "./notice-recorder.ts";

// A session keeps the plans of the statements inside functions and triggers. It may have begun on an empty store, and with a
// batch of any size. PostgreSQL reports each statement that it runs, those inside functions too, with what it read.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

const EXPLAIN = [
  "session_preload_libraries=auto_explain",
  "auto_explain.log_min_duration=0",
  "auto_explain.log_nested_statements=on",
  "auto_explain.log_analyze=on",
  "auto_explain.log_buffers=on",
  "auto_explain.log_timing=off",
  "auto_explain.log_format=json",
  "auto_explain.log_level=notice",
];

/** To read all entries of an index of that many rows takes 270 blocks at least. */
const FILLED = 100_000;
/** A statement for one animal or order walks down a few indexes. */
const BLOCKS_MAX = 60;
/** The rows that a statement may pass by for each animal or order. */
const PASSED_MAX = 10;

interface Node {
  readonly "Node Type": string;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Node[];
}

interface Ran {
  readonly "Query Text": string;
  readonly Plan: Node;
}

/** What each new connection asks about its server, and reads small catalogues for. */
const IDENTIFICATION = "pg_postmaster_start_time()";

/** The statements that the program has run since the last call, but those of a connection that began meanwhile. */
function statementsRun(notices: NoticeRecorder): Ran[] {
  return notices.take().flatMap((notice) => {
    const [, plan] = /^duration: .* plan:\n(.*)/s.exec(notice) ?? [];
    const ran = plan === undefined ? [] : [JSON.parse(plan) as Ran];
    return ran.filter(({ "Query Text": text }) => !text.includes(IDENTIFICATION));
  });
}

/** The URL by way of a proxy, for sessions in which PostgreSQL explains every statement. */
function explaining(direct: string, port: number): string {
  const url = new URL(direct);
  url.hostname = "127.0.0.1";
  url.port = `${port}`;
  const options = encodeURIComponent(EXPLAIN.map((setting) => `-c ${setting}`).join(" "));
  return `${url.href}&options=${options}`;
}

function passedBy(node: Node): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0);
  return (node.Plans ?? []).reduce((sum, part) => sum + passedBy(part), removed * node["Actual Loops"]);
}

/** Whether a table is read from end to end; a sequence can be read in no other way. */
function scansTable(node: Node): boolean {
  const scans = node["Node Type"] === "Seq Scan" && !node["Relation Name"]?.endsWith("_seq");
  return scans || (node.Plans ?? []).some(scansTable);
}

function blocksOf(node: Node): number {
  return node["Shared Hit Blocks"] + node["Shared Read Blocks"];
}

/** The plan's nodes with what each read, a line each. */
function outline(node: Node, indent = ""): string {
  const { "Node Type": type, "Index Name": index = "", "Index Cond": condition = "" } = node;
  const blocks = blocksOf(node);
  const parts = (node.Plans ?? []).map((part) => outline(part, `${indent}  `));
  return [`${indent}${type} ${index} ${condition}: ${blocks} blocks`, ...parts].join("\n");
}

/** The statements that read more than one order or animal is worth. */
function readTooMuch(ran: Ran[]): string[] {
  return ran.flatMap((statement) => {
    const { Plan: plan } = statement;
    const blocks = blocksOf(plan);
    if (blocks <= BLOCKS_MAX && passedBy(plan) <= PASSED_MAX && !scansTable(plan)) return [];
    return [`${blocks} blocks: ${statement["Query Text"]}\n${outline(plan)}`];
  });
}

/** Places, approves and delivers or cancels orders, all of a kind at once. */
async function order(store: Store, count: number): Promise<void> {
  const all = <Result>(make: (n: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, (_, n) => make(n) as Promise<Result>));
  const animals = await all<Animal>(() =>
    store.addAnimal({ name: "Rex", categoryId: 1n, status: "available" }),
  );
  const place = () => all<Order>((n) => store.placeOrder({ petId: (animals[n] as Animal).id }));
  const cancelled = await place();
  await all((n) => store.updateOrder((cancelled[n] as Order).id, "cancelled"));
  const delivered = await place();
  for (const status of ["approved", "delivered"] as const) {
    const changed = await all<Order>((n) => store.updateOrder((delivered[n] as Order).id, status));
    expect(changed.map((order) => order.status)).toEqual(changed.map(() => status));
  }
}

/** Does once all that looks one row up. The first time, a session also reads the catalogues. */
async function useOnce(store: Store): Promise<void> {
  await order(store, 1);
  await store.findAnimal(1n);
  await store.findOrder(1n);
  for (const on of [false, true]) await store.recordEvents(on);
}

/** What an operator does by hand to an animal and an order, to all that call functions and triggers. */
const BY_HAND = [
  "INSERT INTO animal (id, name, category_id, status) SELECT coalesce(max(id), 0) + 1, 'by hand', 1, 'available' FROM animal",
  "UPDATE animal SET name = 'again' WHERE id = (SELECT max(id) FROM animal)",
  `INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) SELECT coalesce(max(id), 0) + 1, (SELECT max(id) FROM animal), 'placed', 1, 1 FROM store_order`,
  "UPDATE store_order SET status = 'approved' WHERE id = (SELECT max(id) FROM store_order)",
  "UPDATE store_order SET status = 'cancelled' WHERE id = (SELECT max(id) FROM store_order)",
  "DELETE FROM store_order WHERE id = (SELECT max(id) FROM store_order)",
  "UPDATE animal SET id = id + 1 WHERE id = (SELECT max(id) FROM animal)",
  "DELETE FROM animal WHERE id = (SELECT max(id) FROM animal)",
];

/** PostgreSQL's own checks of foreign keys, whose plans are the session's affair. */
const FOREIGN_KEY_CHECK = /^SELECT 1 FROM ONLY /;

async function fill({ query }: TestDatabase, count: number): Promise<void> {
  await query("SET session_replication_role = replica");
  await query(
    `INSERT INTO animal (id, name, category_id, status) SELECT nextval('animal_id_seq'), 'filled', n, 'available' FROM generate_series(1, ${count}) n`,
  );
  await query(`INSERT INTO store_order (id, animal_id, status, placed_at, updated_at) SELECT nextval('store_order_id_seq'), n, 'cancelled', 0, 0
                 FROM generate_series(1, ${count}) n`);
  await query("SET session_replication_role = origin");
}

const BEFORE: Readonly<Record<string, (database: TestDatabase) => Promise<unknown>>> = {
  empty: async () => {},
  "known to be empty": ({ query }) => query("VACUUM ANALYZE"),
  "known to hold one animal": async (database) => {
    await fill(database, 1);
    await database.query("VACUUM ANALYZE");
  },
  small: (database) => fill(database, 300),
  "known to be small": async (database) => {
    await fill(database, 300);
    await database.query("VACUUM ANALYZE");
  },
};

for (const [size, prepare] of Object.entries(BEFORE)) {
  for (const batch of [1, 1000]) {
    test(`an order reads a few blocks after a batch of ${batch} on a store that was ${size}`, async () => {
      await using database = await databases.create();
      await prepare(database);
      const notices = new NoticeRecorder();
      await using proxy = await startProxy(Number(new URL(database.url).port), notices);
      const store = await openPostgresStore(explaining(database.url, proxy.port), Date.now);
      try {
        await store.recordEvents(true);
        notices.take();
        await order(store, batch);
        await store.findAnimal(1n);
        await store.findOrder(1n);
        for (const { Plan } of statementsRun(notices)) {
          expect(passedBy(Plan), JSON.stringify(Plan)).toBeLessThanOrEqual(PASSED_MAX * batch);
        }
        await fill(database, FILLED);
        await useOnce(store);
        notices.take();
        await useOnce(store);
        const ran = statementsRun(notices);
        const inTriggers = ran.filter(({ "Query Text": text }) =>
          text.startsWith("UPDATE animal_store.animal"),
        );
        expect(inTriggers.length).toBeGreaterThan(0);
        expect(readTooMuch(ran)).toEqual([]);
      } finally {
        await store.close();
      }
    });
  }
}

for (const size of ["known to hold one animal", "known to be small"]) {
  test(`a change by hand reads a few blocks in triggers in a session that began on a store that was ${size}`, async () => {
    await using database = await databases.create();
    await (await openPostgresStore(database.url, Date.now)).close();
    await BEFORE[size]?.(database);
    const notices = new NoticeRecorder();
    await using proxy = await startProxy(Number(new URL(database.url).port), notices);
    const url = new URL(database.url);
    url.port = `${proxy.port}`;
    // The recorder expects a client that asks for TLS first.
    url.searchParams.set("sslmode", "prefer");
    await using hand = new SQL({ url: url.href, max: 1 });
    const settings = EXPLAIN.slice(1).map((setting) => `SET ${setting}`);
    await hand
      .unsafe(["LOAD 'auto_explain'", ...settings, "SET search_path = animal_store"].join("; "))
      .simple();
    const change = async () => {
      for (const statement of BY_HAND) await hand.unsafe(statement);
    };
    // From the sixth time on, PostgreSQL may keep a plan for all values.
    for (let time = 0; time < 8; time++) await change();
    await fill(database, FILLED);
    await change();
    notices.take();
    await change();
    const isOurs = ({ "Query Text": text }: Ran) => !BY_HAND.includes(text) && !FOREIGN_KEY_CHECK.test(text);
    const inTriggers = statementsRun(notices).filter(isOurs);
    expect(inTriggers.length).toBeGreaterThan(0);
    expect(inTriggers.filter(({ Plan }) => blocksOf(Plan) > BLOCKS_MAX)).toEqual([]);
  });
}
