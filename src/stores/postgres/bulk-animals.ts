import type { SQL } from "bun";
import type { IncomingAnimal } from "../../domain/transfer.ts";

type Column = ReturnType<SQL["array"]>;

/** Animals as arrays, one a column: the text of a statement stays the same however many there are. */
export function columnsOf(
  sql: SQL,
  animals: readonly IncomingAnimal[],
): Record<"ids" | "names" | "categoryIds" | "statuses", Column> {
  return {
    ids: texts(
      sql,
      animals.map(({ id }) => id?.toString() ?? null),
    ),
    names: texts(
      sql,
      animals.map(({ name }) => name),
    ),
    categoryIds: texts(
      sql,
      animals.map(({ categoryId }) => categoryId.toString()),
    ),
    statuses: texts(
      sql,
      animals.map(({ status }) => status),
    ),
  };
}

export function texts(sql: SQL, values: (string | null)[]): Column {
  return sql.array(values, "TEXT");
}
