import { afterAll, expect, test } from "bun:test";
import type { Animal } from "../../src/domain/animal.ts";
import type { Order } from "../../src/domain/order.ts";
import type { Store } from "../../src/domain/store.ts";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import type { TestDatabase } from "../support/database.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startPostgres } from "../support/postgres.ts";
import { startProxy } from "../support/proxy.ts";
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
  readonly Plans?: readonly Node[];
}

interface Ran {
  readonly "Query Text": string;
  readonly Plan: Node;
}

/** The statements that the program has run since the last call. */
function statementsRun(notices: NoticeRecorder): Ran[] {
  return notices.take().flatMap((notice) => {
    const [, plan] = /^duration: .* plan:\n(.*)/s.exec(notice) ?? [];
    return plan === undefined ? [] : [JSON.parse(plan) as Ran];
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

/** The statements that read more than one order or animal is worth. */
function readTooMuch(ran: Ran[]): string[] {
  return ran.flatMap((statement) => {
    const { Plan: plan } = statement;
    const blocks = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    if (blocks <= BLOCKS_MAX && passedBy(plan) <= PASSED_MAX && !scansTable(plan)) return [];
    return [`${blocks} blocks: ${JSON.stringify(statement, undefined, 1)}`];
  });
}

/** Places, approves and delivers or cancels orders, all of a kind at once. */
async function order(store: Store, count: number): Promise<void> {
  const all = <Result>(make: (n: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, (_, n) => make(n) as Promise<Result>));
  const animals = await all<Animal>(() =>
    store.addAnimal({ name: "Rex", categoryId: 1n, status: "available" }),
  );
  const place = () => all<Order>((n) => store.placeOrder((animals[n] as Animal).id));
  const cancelled = await place();
  await all((n) => store.updateOrder((cancelled[n] as Order).id, "cancelled"));
  const delivered = await place();
  for (const status of ["approved", "delivered"] as const) {
    const changed = await all<Order>((n) => store.updateOrder((delivered[n] as Order).id, status));
    expect(changed.map((order) => order.status)).toEqual(changed.map(() => status));
  }
}

/** Does once all that calls functions and triggers. The first time, a session also reads the catalogues. */
async function useOnce(store: Store): Promise<void> {
  await order(store, 1);
  for (const on of [false, true]) await store.recordEvents(on);
}

async function fill({ query }: TestDatabase, count: number): Promise<void> {
  await query("SET session_replication_role = replica");
  await query(
    `INSERT INTO animal SELECT nextval('animal_id_seq'), 'filled', n, 'available' FROM generate_series(1, ${count}) n`,
  );
  await query(`INSERT INTO store_order SELECT nextval('store_order_id_seq'), n, 'cancelled', 0, 0
                 FROM generate_series(1, ${count}) n`);
  await query("SET session_replication_role = origin");
}

const BEFORE: Readonly<Record<string, (database: TestDatabase) => Promise<unknown>>> = {
  empty: async () => {},
  "known to be empty": ({ query }) => query("VACUUM ANALYZE"),
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
