import type { Database } from "bun:sqlite";
import { type Column, namesOf, valuesOf } from "../table.ts";
import { attempt } from "./connection.ts";

/**
 * Inserts many rows: all of them, or none.
 *
 * @param onConflict a clause that ends the statement
 */
export function insertRows<Row>(
  database: Database,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  onConflict = "",
): void {
  const marks = columns.map(() => "?").join(", ");
  attempt(database, () => {
    const statement = database.query(
      `INSERT INTO ${table} (${namesOf(columns)}) VALUES (${marks}) ${onConflict}`,
    );
    database.transaction(() => {
      for (const row of rows) statement.run(...valuesOf(columns, row));
    })();
  });
}
