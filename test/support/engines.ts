import { afterAll, beforeAll, describe } from "bun:test";
import type { TestDatabase } from "./database.ts";
import { createSqliteDatabase } from "./database.ts";
import { PostgresDatabases } from "./postgres/databases.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";

/** What a suite needs of the engine that it runs on. */
export interface Engine {
  /** Whether reads are answered without waiting for anything: the runtime treats requests that wait worse. */
  readonly readsAtOnce: boolean;
  /** An empty one: the first program to open it makes the store. */
  createDatabase(): Promise<TestDatabase>;
  startService(options?: ServiceOptions): Promise<Service>;
}

/** Runs a suite on SQLite and on PostgreSQL: no test of it may tell them apart. */
export function onEveryEngine(suite: (engine: Engine) => void): void {
  describe("on SQLite", () => suite(engineOf(createSqliteDatabase, createSqliteDatabase, true)));

  // `npm run test:quick` leaves it out, and says so.
  if (process.env.TEST_QUICK) return;
  describe("on PostgreSQL", () => {
    let server: Postgres | undefined;
    let databases: PostgresDatabases;
    beforeAll(async () => {
      server = await startPostgres();
      databases = new PostgresDatabases(server);
    });
    const createEmpty = () => databases.createEmpty();
    suite(engineOf(createEmpty, () => databases.create(), false));
    // Behind what the suite has to do at its end: hooks run in this order.
    afterAll(() => server?.[Symbol.asyncDispose]());
  });
}

/** @param createForService makes a database that may have a new store already */
function engineOf(
  createDatabase: Engine["createDatabase"],
  createForService: Engine["createDatabase"],
  readsAtOnce: boolean,
): Engine {
  return { createDatabase, readsAtOnce, startService: (options) => startService(options, createForService) };
}
