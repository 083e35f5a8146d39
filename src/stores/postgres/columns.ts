import type { SQL } from "bun";
import type { Column, Written } from "../table.ts";

type Values = ReturnType<SQL["array"]>;

/** Items as one array per column, so that the text of a statement does not depend on their number. */
export function arraysOf<Item>(sql: SQL, columns: readonly Column<Item>[], items: readonly Item[]): Values[] {
  return columns.map(({ value }) => column(sql, items, value));
}

/** One value of each row, as an array of texts, from which PostgreSQL reads numbers exactly. */
export function column<Row>(sql: SQL, rows: readonly Row[], value: (row: Row) => Written): Values {
  return sql.array(
    rows.map((row) => textOf(value(row))),
    "TEXT",
  );
}

function textOf(value: Written): string | null {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  return value?.toString() ?? null;
}
