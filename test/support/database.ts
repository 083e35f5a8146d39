import { Database } from "bun:sqlite";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";

/** Where an engine keeps a store of a test's own, and what a test may do to it behind the service's back. */
export interface TestDatabase extends AsyncDisposable {
  /** As `DATABASE_URL` has it. */
  readonly url: string;
  /** Runs one statement in SQL that every engine understands, as another process would. */
  query<Row>(statement: string): Promise<Row[]>;
  /** Lets ids go on above this one. */
  setLastId(id: bigint): Promise<void>;
  /** Keeps everybody else from writing, until it is let go. */
  lock(): Promise<AsyncDisposable>;
  /** Makes it impossible to read or write anything, until it is disposed of. */
  breakDown(): Promise<AsyncDisposable>;
}

/** A file in a folder of its own. */
export async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  return {
    url: `sqlite:${file}`,
    async query<Row>(statement: string) {
      using connection = openNextToService(file);
      return connection.query<Row, []>(statement).all();
    },
    async setLastId(id) {
      using connection = openNextToService(file);
      connection.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'animal'", [id]);
    },
    async lock() {
      const connection = openNextToService(file);
      connection.run("BEGIN IMMEDIATE");
      return { [Symbol.asyncDispose]: async () => connection.close() };
    },
    async breakDown() {
      {
        using connection = new Database(file);
        connection.run("PRAGMA wal_checkpoint(TRUNCATE)");
      }
      const whole = readFileSync(file);
      truncateSync(file, 4096);
      return { [Symbol.asyncDispose]: async () => writeFileSync(file, whole) };
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

/** Opens a store that a service may be writing to at this moment, which a hand waits for. */
function openNextToService(file: string): Database {
  const connection = new Database(file);
  connection.run("PRAGMA busy_timeout = 5000");
  return connection;
}
