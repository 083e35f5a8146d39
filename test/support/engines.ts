import { afterAll, beforeAll, describe } from "bun:test";
import type { TestDatabase } from "./database.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { PostgresDatabases } from "./postgres-database.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";
import { createSqliteDatabase } from "./sqlite-database.ts";

/** What a suite needs of the engine that it runs on. */
export interface Engine {
  createDatabase(): Promise<TestDatabase>;
  startService(options?: ServiceOptions): Promise<Service>;
}

/** Runs a suite on SQLite and on a PostgreSQL that is started for it: no test of it may tell them apart. */
export function onEveryEngine(suite: (engine: Engine) => void): void {
  describe("on SQLite", () => suite(engineOf(createSqliteDatabase)));

  describe("on PostgreSQL", () => {
    let server: Postgres;
    let databases: PostgresDatabases;
    beforeAll(async () => {
      server = await startPostgres();
      databases = new PostgresDatabases(server);
    });
    afterAll(() => server[Symbol.asyncDispose]());
    suite(engineOf(() => databases.create()));
  });
}

function engineOf(createDatabase: Engine["createDatabase"]): Engine {
  return { createDatabase, startService: (options) => startService(options, createDatabase) };
}
