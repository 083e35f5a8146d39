import "../support/run-limits.ts";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { openStore } from "../../src/stores/open.ts";
import { BulkSession } from "../../src/stores/postgres/bulk/session.ts";
import { openPool } from "../../src/stores/postgres/connect/open-pool.ts";
import { SESSION_SETTINGS } from "../../src/stores/postgres/connect/session-settings.ts";
import { startOwnPostgres } from "../support/postgres.ts";

const server = await startOwnPostgres(["fsync=off"]);
const admin = new SQL({ url: server.url, max: 1 });
const { majorVersion } = await admin`
  SELECT current_setting('server_version_num')::int / 10000 AS "majorVersion"`.then(([row]) => row);
let url: string;
beforeAll(async () => {
  url = await server.createDatabase();
  await admin.unsafe(`CREATE ROLE clerk LOGIN; ALTER DATABASE ${databaseOf(url)} OWNER TO clerk`);
});
afterAll(async () => {
  await admin.close();
  await server[Symbol.asyncDispose]();
});

/** For each setting of the table a value that would break something, had it its way. */
const CONTRARY: Readonly<Record<string, string>> = {
  client_encoding: "LATIN1",
  synchronous_commit: "off",
  default_transaction_isolation: "serializable",
  search_path: "public",
  row_security: "on",
  statement_timeout: "30s",
  idle_in_transaction_session_timeout: "30s",
  lock_timeout: "1ms",
  transaction_timeout: "30s",
  idle_session_timeout: "30s",
  jit: "on",
  array_nulls: "off",
  bytea_output: "escape",
  extra_float_digits: "-15",
  standard_conforming_strings: "off",
  plan_cache_mode: "force_custom_plan",
  enable_bitmapscan: "off",
  enable_hashagg: "off",
  enable_hashjoin: "off",
  enable_indexonlyscan: "off",
  enable_indexscan: "off",
  enable_material: "off",
  enable_mergejoin: "off",
  enable_nestloop: "off",
  enable_seqscan: "on",
  enable_sort: "off",
  enable_tidscan: "off",
  tcp_keepalives_idle: "7",
  tcp_keepalives_interval: "7",
  tcp_keepalives_count: "7",
  "animal_store.appends": "off",
};

/** Settings that a session of ours keeps, since nothing of ours depends on them. */
const INDIFFERENT: Readonly<Record<string, string>> = {
  DateStyle: "German",
  IntervalStyle: "sql_standard",
  TimeZone: "Asia/Kathmandu",
  escape_string_warning: "off",
  client_min_messages: "debug1",
  transform_null_equals: "on",
  default_transaction_deferrable: "on",
  work_mem: "64kB",
  temp_file_limit: "100kB",
  geqo_threshold: "2",
};

const setByUs = SESSION_SETTINGS.filter(
  ({ value, since = 0 }) => value !== undefined && majorVersion >= since,
);

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function asClerk(url: string, query = ""): string {
  return url.replace("postgres@", "clerk@") + query;
}

/** Runs statements, and undoes them with others when the test ends. */
async function having(statements: readonly string[], undo: readonly string[]): Promise<AsyncDisposable> {
  for (const statement of statements) await admin.unsafe(statement);
  return {
    async [Symbol.asyncDispose]() {
      for (const statement of undo) await admin.unsafe(statement);
    },
  };
}

async function complaint(url: string): Promise<string> {
  try {
    await (await openStore(url, Date.now)).close();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the store was opened");
}

/** What a session of requests has. */
async function current(name: string): Promise<string> {
  const pool = await openPool(asClerk(url));
  try {
    const [row] = await pool.read<{ value: string }[]>(
      (sql) => sql`SELECT pg_catalog.current_setting(${name}) AS value`,
    );
    return row?.value ?? "";
  } finally {
    await pool.close();
  }
}

test("every setting in the table is tried with a contrary value", () => {
  const tried = Object.keys(CONTRARY).sort();
  expect(SESSION_SETTINGS.flatMap(({ name, value }) => (value === undefined ? [] : [name])).sort()).toEqual(
    tried,
  );
});

describe("a session has the service's own setting, whatever the role has:", () => {
  for (const { name } of setByUs) {
    test(name, async () => {
      const ours = await current(name);
      await using _ = await having(
        [`ALTER ROLE clerk SET ${name} = '${CONTRARY[name]}'`],
        [`ALTER ROLE clerk RESET ALL`],
      );
      await using contrary = new SQL({ url: asClerk(url), max: 1 });
      const [row] = await contrary.unsafe(`SELECT current_setting('${name}') AS value`);
      // Else the test would show nothing. The library's startup packet says which encoding it speaks.
      if (name !== "client_encoding") expect(row.value).not.toBe(ours);
      expect(await current(name)).toBe(ours);
    });
  }
});

test("a store works with every contrary setting at once, of the role and of the database", async () => {
  const contrary = setByUs
    .map(({ name }) => [name, CONTRARY[name]] as const)
    .concat(Object.entries(INDIFFERENT));
  await using _ = await having(
    contrary.flatMap(([name, value]) => [
      `ALTER ROLE clerk SET ${name} = '${value}'`,
      `ALTER DATABASE ${databaseOf(url)} SET ${name} = '${value}'`,
    ]),
    ["ALTER ROLE clerk RESET ALL", `ALTER DATABASE ${databaseOf(url)} RESET ALL`],
  );
  const store = await openStore(asClerk(url), Date.now);
  try {
    await store.checkWriting();
    const hash = crypto.getRandomValues(new Uint8Array(32));
    const key = await store.addKey({
      hash,
      environment: "production",
      name: "NULL",
      scopes: [],
      createdAt: 1,
      expiresAt: null,
    });
    expect(await store.findKey(hash)).toEqual(key);
    expect((await store.cursorSecret()).length).toBe(32);
    const names = ["NULL", "é🐘\\'\"{}", "\\x41", "ÿ"];
    const digest = "d".repeat(64);
    const creates = names.map((name, at) =>
      store.addAnimal(
        { name, categoryId: -(2n ** 63n), status: "pending" },
        // In one batch, animals with and without an Idempotency-Key.
        at % 2 === 0 ? { line: key.id, key: `key ${at}`, digest } : undefined,
      ),
    );
    const added = await Promise.all(creates);
    const { items: animals } = await store.listAnimals({ after: 0n, limit: 10, status: "pending" });
    expect(animals).toEqual(added as typeof animals);
    expect(animals.map(({ name }) => name)).toEqual(names);
    await store.deleteExpired();
  } finally {
    await store.close();
  }
});

test("a store works for a role whose statements may take a millisecond, and whose transactions are serializable", async () => {
  await using _ = await having(
    [
      "ALTER ROLE clerk SET statement_timeout = 1",
      "ALTER ROLE clerk SET default_transaction_isolation = serializable",
    ],
    ["ALTER ROLE clerk RESET ALL"],
  );
  for (let time = 0; time < 5; time++) await (await openStore(asClerk(url), Date.now)).close();
});

test("sessions for bulk work have no deadlines", async () => {
  await (await openStore(asClerk(url), Date.now)).close();
  const session = await BulkSession.open(asClerk(url));
  try {
    for (const { name, bulk } of SESSION_SETTINGS) {
      if (bulk === undefined) continue;
      const [row] = await session.run((sql) => sql`SELECT current_setting(${name}) AS value`);
      expect([name, row.value]).toEqual([name, bulk]);
    }
  } finally {
    await session.close();
  }
});

describe("a setting that cannot be changed is refused by name:", () => {
  for (const encoding of ["LATIN1", "SQL_ASCII", "EUC_JP"]) {
    test(`the encoding ${encoding}`, async () => {
      const name = `of_${encoding.toLowerCase()}`;
      await admin.unsafe(
        `CREATE DATABASE ${name} ENCODING ${encoding} LOCALE 'C' TEMPLATE template0 OWNER clerk`,
      );
      expect(await complaint(asClerk(url).replace(databaseOf(url), name))).toEndWith(
        `keeps this database in the encoding ${encoding}, which cannot hold every name; make another with ` +
          "CREATE DATABASE … ENCODING UTF8 TEMPLATE template0.",
      );
      await using inside = new SQL({ url: url.replace(databaseOf(url), name), max: 1 });
      expect(await inside`SELECT to_regnamespace('animal_store') AS made`).toEqual([{ made: null }]);
    });
  }

  test("triggers switched off", async () => {
    const reset = "ALTER ROLE clerk RESET session_replication_role";
    await using _ = await having(["ALTER ROLE clerk SET session_replication_role = replica"], [reset]);
    expect(await complaint(asClerk(url))).toContain("has session_replication_role = replica for this user");
  });

  test("a read-only database", async () => {
    const set = `ALTER DATABASE ${databaseOf(url)}`;
    await using _ = await having(
      [`${set} SET default_transaction_read_only = on`],
      [`${set} RESET default_transaction_read_only`],
    );
    const { port } = new URL(url);
    const complained = await complaint(asClerk(url).replace(`:${port}/`, `:${port},127.0.0.1:1/`));
    expect(complained).toContain(`:${port} takes no writes: its default_transaction_read_only is on`);
    // That is not said of servers that were not even reached.
    expect(complained).not.toContain("127.0.0.1:1 ");
  });

  for (const value of ["off", "local"]) {
    test(`synchronous_commit = ${value} beside standbys that a commit would wait for`, async () => {
      const reload = "SELECT pg_reload_conf()";
      await using _ = await having(
        [
          `ALTER ROLE clerk SET synchronous_commit = ${value}`,
          "SET synchronous_commit = local",
          "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (one, two)'",
          reload,
        ],
        ["ALTER ROLE clerk RESET ALL", "ALTER SYSTEM RESET synchronous_standby_names", reload],
      );
      while ((await admin`SHOW synchronous_standby_names`)[0].synchronous_standby_names === "")
        await Bun.sleep(10);
      expect(await complaint(asClerk(url))).toContain(
        `has synchronous_commit = ${value} with synchronous_standby_names: a commit that waits for no standby is ` +
          "lost in a failover; say synchronous_commit = on, or configure no synchronous standby",
      );
    });
  }
});

test("docs/postgresql.md explains every setting that is set or refused", async () => {
  const page = await Bun.file(new URL("../../docs/postgresql.md", import.meta.url)).text();
  const unexplained = SESSION_SETTINGS.filter(({ name }) => !page.includes(`\`${name}\``));
  expect(unexplained.map(({ name }) => name).filter((name) => !name.startsWith("enable_"))).toEqual([]);
});
