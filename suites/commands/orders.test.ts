import { afterAll } from "bun:test";
import { ordersOn } from "../../test/commands/orders-on.ts";
import { startPostgres } from "../../test/support/postgres.ts";

// On PostgreSQL. On SQLite it is test/commands/orders.test.ts.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

ordersOn(() => server.createDatabase());
