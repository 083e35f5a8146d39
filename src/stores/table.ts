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
  /** Whether an item may lack the member: what is read of an empty column is `undefined` then. */
  readonly isOptional?: true;
}

/** How a member is stored: integers as integers, texts as texts. A member that an item may lack says so. */
type StoredMember<Item, Member extends keyof Item> = Stored<Item> &
  (undefined extends Item[Member] ? { readonly isOptional: true } : unknown) &
  (NonNullable<Item[Member]> extends bigint | number ? { readonly type: "bigint" } : unknown) &
  (NonNullable<Item[Member]> extends string ? { readonly type: "text" } : unknown);

export type Written = bigint | number | string | Uint8Array | null;

/** A column that an insertion sets. */
export interface Column<Item> {
  readonly member: string;
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
  /** The selection with other expressions in place of some columns. */
  selectionWith(expressions: { readonly [Member in keyof Item]?: string }): string;
  /** Makes a row the item that it holds: the same object, since a second one for each order would cost every list. */
  parse(row: RowOf<Item>): Item;
  /** Makes each of some rows the item that it holds, at no cost if rows need no change. */
  parseAll(rows: object[]): Item[];
  /** The columns of this table in a join, under the names of their members after the alias: `pet.name AS "pet.name"`. */
  selectionOf(alias: string): string;
  /** Takes the item out of a row of a join that was read with `selectionOf`. */
  takeFrom(row: object, alias: string): Item;
}

/** Declares a table by the members of its items: all of them, also those that an item may lack. */
export function table<Item>(
  members: {
    readonly [Member in keyof Item]-?: StoredMember<Item, Member>;
  },
): Table<Item> {
  const all = Object.entries<Stored<Item>>(members);
  const parsed = all.flatMap(([member, { parse }]) => (parse ? [{ member, parse }] : []));
  const optional = all.flatMap(([member, { isOptional }]) => (isOptional ? [member] : []));
  const needsChange = parsed.length + optional.length > 0;
  const selectionWith = (expressions: Readonly<Partial<Record<string, string>>>) =>
    all
      .map(
        ([member, { column, expression = column }]) => `${expressions[member] ?? expression} AS "${member}"`,
      )
      .join(", ");
  const parse = (row: RowOf<Item>): Item => {
    const item = row as Record<string, unknown>;
    for (const { member, parse } of parsed) {
      if (item[member] !== null) item[member] = parse(item[member] as never);
    }
    for (const member of optional) if (item[member] === null) item[member] = undefined;
    return item as Item;
  };
  return {
    columns: all.map(([member, { column, type, write }]) => ({
      member,
      name: column,
      type,
      value: write ?? ((item) => (item as Record<string, Written>)[member] ?? null),
    })),
    selection: selectionWith({}),
    selectionWith,
    parse,
    parseAll: (rows) => (needsChange ? (rows as RowOf<Item>[]).map(parse) : (rows as Item[])),
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
