import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Order } from "../../src/domain/order.ts";
import { openStore } from "../../src/stores/open.ts";
import { startPostgres } from "../support/postgres.ts";
import {
  create,
  documented,
  expectFilled,
  expectRemembered,
  fill,
  goOn,
  startOn,
  withEachTable,
} from "./restored-store.ts";

// Going back to an earlier moment with PostgreSQL's own means: the SQL that the documentation gives is run as it
// stands there. npm brings no pg_dump, so the tables are copied by SQL, which is what a dump does with them; with
// pg_dump itself `suites/postgres-servers` does it.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** Runs texts of SQL on a database, each of which may be several statements. */
async function runSql(url: string, ...texts: string[]): Promise<void> {
  await using sql = new SQL({ url, max: 1 });
  for (const text of texts) await sql.unsafe(text).simple();
}

test("a dump is restored beside the store that it replaces, with that store's last ids and keys", async () => {
  const url = await server.createDatabase();
  const before = await startOn(url);
  const { key } = before;
  const next = await fill(before);
  const revoked = await before.issueKey();
  await runSql(
    url,
    "CREATE SCHEMA dump",
    withEachTable("CREATE TABLE dump.%1$I AS TABLE animal_store.%1$I"),
    `CREATE TABLE dump.sequence AS SELECT sequencename AS name, last_value FROM pg_sequences
      WHERE schemaname = 'animal_store' AND last_value IS NOT NULL`,
  );
  const since = await goOn(before, revoked);

  await runSql(url, documented("data.md", `psql "$DATABASE_URL" -c '`, "'"));
  await (await openStore(url, Date.now)).close();
  await runSql(
    url,
    // A dump makes triggers when the tables are there.
    "SET session_replication_role = replica",
    withEachTable(
      "DELETE FROM animal_store.%1$I",
      "INSERT INTO animal_store.%1$I OVERRIDING SYSTEM VALUE TABLE dump.%1$I",
    ),
    "SELECT setval(('animal_store.' || name)::regclass, last_value) FROM dump.sequence",
    "RESET session_replication_role",
    documented("data.md", "<<'SQL'\n", "\nSQL\n"),
    "DROP SCHEMA animal_store_replaced CASCADE",
  );

  await using service = await startOn(url);
  await expectFilled(service, next, key);
  await expectRemembered(service, key, since);
});

test("after a return to a copy of the whole database, no id is assigned twice", async () => {
  const url = await server.createDatabase();
  const earlier = await server.createDatabase();
  const before = await startOn(url);
  const { key } = before;
  const next = await fill(before);
  await before[Symbol.asyncDispose]();
  // As a base backup is, it is the same to the last byte; for that nobody may be connected.
  const [from, to] = [url, earlier].map((each) => new URL(each).pathname.slice(1));
  await runSql(server.url, `DROP DATABASE ${to}`, `CREATE DATABASE ${to} TEMPLATE ${from}`);
  const since = await startOn(url);
  expect(await create(since, "since", key)).toBe(31);
  const order = (await since.store.placeOrder({ petId: 1n })) as Order;
  const { id } = await since.issueKey();
  await since[Symbol.asyncDispose]();

  await runSql(earlier, documented("postgresql.md", "one again:\n\n```sql\n", "\n```"));
  await using service = await startOn(earlier);
  await expectFilled(service, next, key);
  expect(await create(service, "since", key)).toBeGreaterThan(31);
  expect(((await service.store.placeOrder({ petId: 1n })) as Order).id).toBeGreaterThan(order.id);
  expect((await service.issueKey()).id).toBeGreaterThan(id);
});
