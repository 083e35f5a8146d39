import { Database } from "bun:sqlite";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestDatabase } from "./database.ts";
import { temporaryFolder } from "./folder.ts";

/** A file in a folder of its own. */
export async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = temporaryFolder();
  const file = join(folder.path, "store.db");
  return {
    url: `sqlite:${file}`,
    async query<Row>(statement: string) {
      using connection = new Database(file);
      return connection.query<Row, []>(statement).all();
    },
    async setLastId(id) {
      using connection = new Database(file);
      connection.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'animal'", [id]);
    },
    async lock() {
      const connection = new Database(file);
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
