import type { Database } from "bun:sqlite";
import { scalar } from "./scalar.ts";

/** The tables whose rows clients see. */
export const CLIENT_TABLES = ["animal", "store_order", "event"] as const;

/** The tables whose ids are never reused. */
type Table = (typeof CLIENT_TABLES)[number] | "api_key";

/** The last id that each of these tables has given. */
export type LastIds = Readonly<Record<(typeof CLIENT_TABLES)[number], bigint>>;

/** The last ids that the tables of clients have given, even if their rows are gone; 0 where there was none. */
export function lastIdsOf(database: Database): LastIds {
  return {
    animal: lastIdOf(database, "animal"),
    store_order: lastIdOf(database, "store_order"),
    event: lastIdOf(database, "event"),
  };
}

/** The last id that an AUTOINCREMENT table has given, even if its row is gone; 0 if there was none. */
export function lastIdOf(database: Database, table: Table): bigint {
  return scalar<bigint>(database, "SELECT seq FROM sqlite_sequence WHERE name = ?", table) ?? 0n;
}

/** Makes a table give ids above `id`. It never lowers the next id. */
export function raiseLastId(database: Database, table: Table, id: bigint): void {
  if (id <= lastIdOf(database, table)) return;
  // A table that has given no id has no row yet, and `sqlite_sequence` has no constraint for an upsert.
  const { changes } = database.query("UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(id, table);
  if (changes === 0) database.query("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(table, id);
}
