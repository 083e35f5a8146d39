import type { SQL } from "bun";
import type { NewAnimal } from "../../domain/animal.ts";

type Column = ReturnType<SQL["array"]>;

/** Animals as one array per column, so that the text of a statement does not depend on their number. */
export function columnsOf(
  sql: SQL,
  animals: readonly NewAnimal[],
): Record<"names" | "categoryIds" | "statuses", Column> {
  return {
    names: column(sql, animals, ({ name }) => name),
    categoryIds: column(sql, animals, ({ categoryId }) => categoryId),
    statuses: column(sql, animals, ({ status }) => status),
  };
}

/** One value of each row, as an array of texts, from which PostgreSQL reads numbers exactly. */
export function column<Row>(
  sql: SQL,
  rows: readonly Row[],
  value: (row: Row) => bigint | number | string | null,
): Column {
  return sql.array(
    rows.map((row) => value(row)?.toString() ?? null),
    "TEXT",
  );
}
