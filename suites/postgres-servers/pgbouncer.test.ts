import { afterAll } from "bun:test";
import { behaveAsOne } from "../../test/support/as-one.ts";
import { startInstances } from "../../test/support/instances.ts";
import { UNHURRIED } from "../../test/support/postgres/unhurried.ts";
import { startOwnPostgres } from "../../test/support/postgres.ts";
import { startPgBouncer } from "./pgbouncer.ts";

// Through PgBouncer in session mode, which is the mode that may stand between the service and PostgreSQL.

const server = await startOwnPostgres();
const pooler = await startPgBouncer(server.url, "session");
console.log(`${pooler.version}, session mode`);
afterAll(async () => {
  await pooler[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

behaveAsOne(async (count) => {
  const database = new URL(await server.createDatabase());
  const pooled = new URL(pooler.url);
  pooled.pathname = database.pathname;
  return startInstances(pooled.href + UNHURRIED, count);
});
