import { afterAll } from "bun:test";
import { behaveAsOne } from "../../test/support/as-one.ts";
import { startWorkers } from "../../test/support/instances.ts";
import { startPostgres } from "../../test/support/postgres.ts";

// On PostgreSQL. On SQLite it is test/workers/as-one.test.ts, and several instances are suites/postgres-servers/instances.test.ts.

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

behaveAsOne(async (clients) => startWorkers(clients, { DATABASE_URL: await server.createDatabase() }));
