import type { Database } from "bun:sqlite";
import { type Column, namesOf } from "../../column.ts";

/** Inserts rows, within a transaction. */
export function insertRows<Row>(
  database: Database,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const marks = columns.map(() => "?").join(", ");
  const insert = database.query(`INSERT INTO ${table} (${namesOf(columns)}) VALUES (${marks})`);
  for (const row of rows) insert.run(...columns.map(({ value }) => value(row)));
}
