import { afterAll, beforeAll, describe } from "bun:test";
import type { TestDatabase } from "./database.ts";
import { createSqliteDatabase } from "./database.ts";
import { PostgresDatabases } from "./postgres/databases.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";

/** What a suite needs of the engine that it runs on. */
export interface Engine {
  /** Whether the service answers reads without waiting: the runtime handles requests that wait less well. */
  readonly readsAtOnce: boolean;
  /** An empty one: the first program to open it makes the store. */
  createDatabase(): Promise<TestDatabase>;
  startService(options?: ServiceOptions): Promise<Service>;
}

/** Runs a suite on SQLite and on PostgreSQL: every test must hold on both. */
export function onEveryEngine(suite: (engine: Engine) => void): void {
  onSqlite(suite);
  // `npm test -- quick` leaves it out, and says so.
  if (!process.env.TEST_QUICK) onPostgres(suite);
}

/** For a suite whose other half takes long, and is run elsewhere. */
export function onSqlite(suite: (engine: Engine) => void): void {
  describe("on SQLite", () => suite(engineOf(createSqliteDatabase, createSqliteDatabase, true)));
}

/** The other half of a suite. */
export function onPostgres(suite: (engine: Engine) => void): void {
  describe("on PostgreSQL", () => {
    let server: Postgres | undefined;
    let databases: PostgresDatabases;
    beforeAll(async () => {
      server = await startPostgres();
      databases = new PostgresDatabases(server);
    });
    const createEmpty = () => databases.createEmpty();
    suite(engineOf(createEmpty, () => databases.create(), false));
    // Hooks run in the order of their registration, so the suite's own come first.
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
