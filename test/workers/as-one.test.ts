import { afterAll, beforeAll, describe } from "bun:test";
import { behaveAsOne } from "../support/as-one.ts";
import { startWorkers } from "../support/instances.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

describe("workers on SQLite", () => behaveAsOne((clients) => startWorkers(clients)));

describe("workers on PostgreSQL", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  behaveAsOne(async (clients) => startWorkers(clients, { DATABASE_URL: await server.createDatabase() }));
});
