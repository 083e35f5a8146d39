import { type Column, namesOf } from "../../column.ts";
import { column } from "../columns.ts";
import type { BulkSession } from "./session.ts";

/** Inserts rows with one statement, within its own transaction or the session's. */
export async function insertRows<Row>(
  session: BulkSession,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const arrays = columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(", ");
  const text = `INSERT INTO animal_store.${table} (${namesOf(columns)}) SELECT * FROM unnest(${arrays})`;
  await session.run((sql) =>
    sql.unsafe(
      text,
      columns.map(({ value }) => column(sql, rows, value)),
    ),
  );
}
