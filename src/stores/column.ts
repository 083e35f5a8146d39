/** A column that an insertion of many rows sets. */
export interface Column<Row> {
  readonly name: string;
  /** The type on PostgreSQL. */
  readonly type: "bigint" | "text";
  value(row: Row): bigint | number | string | null;
}

/** The id of a row; the engine gives an id to a row without one. */
export const ID: Column<{ readonly id?: bigint }> = {
  name: "id",
  type: "bigint",
  value: ({ id }) => id ?? null,
};

/** The names of columns, as a list in SQL. */
export function namesOf(columns: readonly Pick<Column<never>, "name">[]): string {
  return columns.map(({ name }) => name).join(", ");
}
