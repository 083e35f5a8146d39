import { expect, test } from "bun:test";
import { SQL } from "bun";
import { openBulkStore } from "../../src/stores/open.ts";
import { BulkSession } from "../../src/stores/postgres/bulk/session.ts";
import { startPostgres } from "../support/postgres.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

test("a statement of a transaction is not executed alone after the connection was lost", async () => {
  await using server = await startPostgres();
  const url = await server.createDatabase();
  await using sql = new SQL({ url, max: 1 });
  await sql`CREATE TABLE public.done (step int)`;
  const session = await BulkSession.open(url);
  // The second connection, which tells a pooler from a server, ends by itself.
  await until(async () => (await connections(sql)) === 1);
  const others = sql`SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  let goesOn = false;
  const transaction = session.transaction(async () => {
    await session.run((sql) => sql`INSERT INTO public.done VALUES (1)`);
    expect(await others).toHaveLength(1);
    while (!(await ends(session))) await Bun.sleep(5);
    await session.run((sql) => {
      goesOn = true;
      return sql`INSERT INTO public.done VALUES (2)`;
    });
  });
  await expect(transaction).rejects.toThrow("PostgreSQL ended the connection");
  expect(goesOn).toBe(false);
  await session.close();
  expect([...(await sql`SELECT * FROM public.done`)]).toEqual([]);
});

/** Whether it has heard that its connection is no more. */
async function ends(session: BulkSession): Promise<boolean> {
  const error = await session.run((sql) => sql`SELECT 1`).catch((error) => error);
  return String(error).includes("PostgreSQL ended the connection");
}

/** How many connections of this program a database has. */
async function connections(sql: SQL): Promise<number> {
  const [row] = await sql`SELECT count(*)::int AS n FROM pg_stat_activity
                           WHERE application_name = 'animal-store' AND datname = current_database()`;
  return row.n;
}

test("a snapshot that cannot begin leaves no connection", async () => {
  await using server = await startPostgres();
  const url = await server.createDatabase();
  await using sql = new SQL({ url, max: 1 });
  {
    await using bulk = await openBulkStore(url, "write", Date.now);
    await sql`ALTER TABLE animal_store.store_order RENAME TO elsewhere`;
    await expect(bulk.snapshot()).rejects.toThrow("does not exist");
  }
  await until(async () => (await connections(sql)) === 0);
});

test("a session that cannot be set up for bulk work leaves no connection", async () => {
  await using server = await startPostgres();
  const url = new URL(await server.createDatabase());
  await using sql = new SQL({ url: url.href, max: 1 });
  // The server refuses a value of a setting that only sessions for bulk work have.
  const text = "'enable_seqscan', 'on'";
  let isRefused = false;
  await using proxy = await startProxy(Number(url.port), {
    toServer(data) {
      if (!data.includes(text)) return undefined;
      isRefused = true;
      return Buffer.from(data.toString("latin1").replace(text, "'enable_seqscan', '??'"), "latin1");
    },
  });
  url.port = `${proxy.port}`;
  await expect(BulkSession.open(url.href)).rejects.toThrow("enable_seqscan");
  expect(isRefused).toBe(true);
  await until(async () => (await connections(sql)) === 0);
});
