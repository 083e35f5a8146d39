/** How a member of an item is stored. */
interface Stored<Item> {
  readonly column: string;
  /** The column's type on PostgreSQL. */
  readonly type: "bigint" | "text" | "bytea";
  /** Makes the member of what was read, unless that is `null`. */
  readonly parse?: (read: never) => unknown;
  /** What is written in place of the member. */
  readonly write?: (item: Item) => Written;
  /** What SQL reads in place of the column. */
  readonly expression?: string;
}

export type Written = bigint | number | string | Uint8Array | null;

/** A column that an insertion sets. */
export interface Column<Item> {
  readonly name: string;
  readonly type: Stored<Item>["type"];
  /** `null` of a member that the item lacks: an engine gives an id to a row without one. */
  value(item: Item): Written;
}

/** An item as both engines read it: integers are bigints, and lists JSON. */
export type RowOf<Item> = { readonly [Member in keyof Item]: Read<Item[Member]> };

type Read<Value> = Value extends number ? bigint : Value extends readonly unknown[] ? string : Value;

/** The columns of a table, and how a row becomes an item. */
interface Table<Item> {
  readonly columns: readonly Column<Item>[];
  /** The columns as SQL reads them, under the names of their members. */
  readonly selection: string;
  /** Makes a row the item that it holds: the same object, since a second one for each order would cost every list. */
  parse(row: RowOf<Item>): Item;
  /** The columns of this table in a join, under the names of their members after the alias: `pet.name AS "pet.name"`. */
  selectionOf(alias: string): string;
  /** Takes the item out of a row of a join that was read with `selectionOf`. */
  takeFrom(row: object, alias: string): Item;
}

/** Declares a table by the members of its items: all of them, also those that an item may lack. */
export function table<Item>(members: { readonly [Member in keyof Item]-?: Stored<Item> }): Table<Item> {
  const all = Object.entries<Stored<Item>>(members);
  const parsed = all.flatMap(([member, { parse }]) => (parse ? [{ member, parse }] : []));
  return {
    columns: all.map(([member, { column, type, write }]) => ({
      name: column,
      type,
      value: write ?? ((item) => (item as Record<string, Written>)[member] ?? null),
    })),
    selection: all
      .map(([member, { column, expression = column }]) => `${expression} AS "${member}"`)
      .join(", "),
    parse(row) {
      const item = row as Record<string, unknown>;
      for (const { member, parse } of parsed) {
        if (item[member] !== null) item[member] = parse(item[member] as never);
      }
      return item as Item;
    },
    selectionOf: (alias) =>
      all.map(([member, { column }]) => `${alias}.${column} AS "${alias}.${member}"`).join(", "),
    takeFrom(row, alias) {
      const columns = row as Record<string, unknown>;
      const item: Record<string, unknown> = {};
      for (const [member, { parse = (read: never): unknown => read }] of all) {
        const name = `${alias}.${member}`;
        const read = columns[name];
        if (read !== null) item[member] = parse(read as never);
        delete columns[name];
      }
      return item as Item;
    },
  };
}

/** An integer that needs all 64 bits. */
export const int64 = (column: string) => ({ column, type: "bigint" }) as const;
/** An integer that a number holds exactly. */
export const number = (column: string) => ({ column, type: "bigint", parse: Number }) as const;
export const text = (column: string) => ({ column, type: "text" }) as const;
export const bytes = (column: string) => ({ column, type: "bytea" }) as const;

/** The names of columns, as a list in SQL. */
export function namesOf(columns: readonly Pick<Column<never>, "name">[]): string {
  return columns.map(({ name }) => name).join(", ");
}

/** What an insertion writes into columns. */
export function valuesOf<Item>(columns: readonly Column<Item>[], item: Item): Written[] {
  return columns.map(({ value }) => value(item));
}

/** Columns without the id. */
export function withoutId<Item>(columns: readonly Column<Item>[]): readonly Column<Item>[] {
  return columns.filter(({ name }) => name !== "id");
}
