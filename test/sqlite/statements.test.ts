import { Database, type SQLQueryBindings } from "bun:sqlite";
import { expect, test } from "bun:test";
import { STATUSES } from "../../src/domain/animal.ts";
import { SCOPES } from "../../src/domain/api-key.ts";
import { EVENT_TYPES } from "../../src/domain/change-event.ts";
import { ORDER_STATUSES } from "../../src/domain/order.ts";
import type { Store } from "../../src/domain/store.ts";
import { newKey } from "../../src/service/new-key.ts";
import { openStore } from "../../src/stores/open.ts";
import { runContract } from "../http/contract/cases.ts";
import { createSqliteDatabase } from "../support/database.ts";
import { startService } from "../support/service.ts";
import { type RecordedStatements, recordStatements } from "./statement-recorder.ts";
import { makeMiddleUnreadable } from "./unreadable-middle.ts";

// Reads happen on the thread that serves requests, so what one reads must not grow with the store. Which statements that
// thread has follows from what it does for the requests of the contract and for each method of the store. Each is carried
// out again on a large store of which nobody can read the middle.

/** Rows of each kind: no statement reads that many unnoticed. */
const FILLED = 8000;

/** Statements of commands and starts, which read all keys. */
const OF_COMMANDS = [/FROM api_key LEFT JOIN key_use/];

/** What reads or changes rows. */
const OF_ROWS = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i;

/** What fills a table. */
interface Filling {
  /** What a column may hold: of each of these there are as many rows, next to each other. */
  readonly kinds?: { readonly column: string; readonly values: readonly string[] };
  readonly columns: string;
  /** `n` counts to `FILLED`, for each `kind`. */
  readonly row: string;
}

/** Each table that may have many rows. */
const FILLINGS: Readonly<Record<string, Filling>> = {
  animal: {
    kinds: { column: "status", values: STATUSES },
    columns: "name, category_id, status",
    row: "'filled', iif(n % 2, 1, n), kind",
  },
  store_order: {
    kinds: { column: "status", values: ORDER_STATUSES },
    columns: "animal_id, status, placed_at, updated_at",
    // Only cancelled orders may be of one animal.
    row: "iif(kind = 'cancelled', 1, 10 * (n + 1e6) + length(kind)), kind, n, n",
  },
  event: {
    kinds: { column: "type", values: EVENT_TYPES },
    columns: "type, at, items",
    row: `kind, n + 1e13, iif(kind LIKE 'animal%', '[["1","filled","1","sold"]]', '[["1","1","placed",1]]')`,
  },
  api_key: {
    columns: "hash, name, scopes, environment, created_at",
    // These hashes are next to each other, so that the hash of a key in use is before or behind them.
    row: "CAST(format('%032d', n) AS BLOB), 'filled', '[]', 'production', 0",
  },
  key_use: { columns: "key_id, day", row: "n + 1000, 1" },
  idempotency_key: {
    columns: "line, key, digest, animal_id, created_at",
    row: "1, 'filled ' || n, format('%064d', n), n, n",
  },
  import: {
    columns: "digest, done, total, first_id, last_id, finished_at",
    row: "format('%064d', n), 1, 1, 1, 1, n",
  },
  stock_correction: {
    columns: "made_at, made_by, animal_id, name_before, category_id_before, status_before",
    row: "n, 'x', n, 'x', 1, 'sold'",
  },
};
const ONE_ROW = ["secret", "incomplete_copy", "revision", "feed", "store_identity"];

function fill(file: string): void {
  using database = new Database(file);
  const schema = database.query<{ type: string; name: string }, []>(
    "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'",
  );
  const ofType = (wanted: string) =>
    schema.all().flatMap(({ type, name }) => (type === wanted ? [name] : []));
  expect(ofType("table").sort(), "tables that this test fills").toEqual(
    [...Object.keys(FILLINGS), ...ONE_ROW].sort(),
  );
  // Without their checks orders need no animals.
  for (const trigger of ofType("trigger")) database.run(`DROP TRIGGER ${trigger}`);
  for (const [table, { kinds, columns, row }] of Object.entries(FILLINGS)) {
    const given = columns.split(", ");
    const indexed = indexedColumns(database, table).filter((column) => !given.includes(column));
    // Of animals that all lack a value, an index by it cannot tell the few that are wanted.
    expect(indexed, `columns of ${table} with an index, which this test fills`).toEqual([]);
    database.run(
      `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted LIMIT ${FILLED})
       INSERT INTO ${table} (${columns})
       SELECT ${row} FROM counted, (SELECT key, value AS kind FROM json_each(?)) ORDER BY key, n`,
      [JSON.stringify(kinds?.values ?? [""])],
    );
  }
}

/** The columns of a table that an index begins with or contains, apart from the key of its rows. */
function indexedColumns(database: Database, table: string): readonly string[] {
  const columns = database.query<{ name: string }, [string]>(
    `SELECT DISTINCT i.name AS name FROM pragma_index_list(?) l JOIN pragma_index_info(l.name) i WHERE i.name IS NOT NULL`,
  );
  return columns.all(table).map(({ name }) => name);
}

/** Calls each method of a store that an operation need not call. */
async function useKeys(store: Store): Promise<void> {
  const key = (name: string) =>
    newKey("production", { name, scopes: SCOPES, createdAt: Date.now(), expiresAt: null }).stored;
  const { id } = await store.addKey(key("one"));
  expect(await store.addFirstKey(key("two"))).toBe(false);
  await store.replaceKey(id, key("three"), Date.now());
  await store.revokeKey(id, Date.now());
  await store.listKeys();
  await store.recordEvents(!(await store.feedState()).isRecording);
  await store.newestEventId();
  await store.check();
}

/** The statements that cannot be carried out on a file as often as they were, without reading its middle. */
function findLongReads(file: string, { given }: Pick<RecordedStatements, "given">): string[] {
  using database = new Database(file, { safeIntegers: true, strict: true });
  const texts = [...given.keys()].filter(
    (text) => OF_ROWS.test(text) && !OF_COMMANDS.some((each) => each.test(text)),
  );
  return texts.filter((text) => {
    using statement = database.prepare(text);
    const distinct = new Map(given.get(text)?.map((each) => [Bun.inspect(each), each]));
    return [...distinct.values()].some((parameters) => {
      database.run("BEGIN");
      try {
        statement.all(...(parameters as SQLQueryBindings[]));
        return false;
      } catch (error) {
        const { code } = error as { code?: string };
        // A key that was added is there already.
        if (code !== "SQLITE_CORRUPT" && code !== "SQLITE_CONSTRAINT_UNIQUE") throw error;
        return code === "SQLITE_CORRUPT";
      } finally {
        if (database.inTransaction) database.run("ROLLBACK");
      }
    });
  });
}

test("no statement of the thread that serves requests reads more as the store grows", async () => {
  await using database = await createSqliteDatabase();
  const file = database.url.replace(/^sqlite:/, "");
  await (await openStore(database.url, Date.now)).close();
  using recorded = recordStatements();
  {
    await using service = await startService({}, async () => ({
      ...database,
      [Symbol.asyncDispose]: async () => {},
    }));
    await runContract(service);
    await useKeys(service.store);
  }
  recorded[Symbol.dispose]();
  const unused = [...recorded.given].filter(([text, given]) => OF_ROWS.test(text) && given.length === 0);
  expect(unused, "statements that no case of contract/ leads to").toEqual([]);
  expect([...recorded.given.keys()].filter((text) => OF_ROWS.test(text)).length).toBeGreaterThan(20);

  fill(file);
  expect(findLongReads(file, recorded)).toEqual([]);
  makeMiddleUnreadable(
    file,
    Object.fromEntries(Object.entries(FILLINGS).map(([table, { kinds }]) => [table, kinds?.column])),
  );
  expect(findLongReads(file, recorded)).toEqual([]);
  // What the check is for.
  const long = [
    "SELECT count(*) FROM animal",
    "SELECT category_id, count(*) FROM animal GROUP BY category_id",
    "SELECT count(*) FROM animal WHERE status = 'sold'",
    "SELECT max(name) FROM animal",
    "SELECT * FROM animal WHERE name = 'nobody' AND id > 0 ORDER BY id LIMIT 20",
    "SELECT count(*) FROM store_order WHERE animal_id = 1",
    "SELECT * FROM store_order WHERE status > 'd' ORDER BY id LIMIT 2",
    "SELECT * FROM animal WHERE +status = 'sold' ORDER BY id LIMIT 20",
    "SELECT max(at) FROM event WHERE type = 'order.placed'",
    "SELECT count(*) FROM api_key",
  ];
  expect(findLongReads(file, { given: new Map(long.map((text) => [text, [[]]])) })).toEqual(long);
});
