/** A member of the things that a file holds, and the column that it has in CSV. */
export interface Column {
  readonly name: string;
  readonly type: "integer" | "text";
  /** Whether each row must have it. */
  readonly required?: true;
  /** Whether an empty field of CSV is a value, and so an error, rather than a member that is left out. */
  readonly emptyIsValue?: true;
}

/** How files hold things of one kind. The members are in the order of `columns`, and integers are exact. */
export interface Layout<Item> {
  readonly columns: readonly Column[];
  toJson(item: Item): string;
  /** A record of RFC 4180, without its line end. */
  toCsv(item: Item): string;
}

/** The values of a row, with the types that a request's body would have: integers are bigints. */
export type Row = Readonly<Record<string, unknown>>;

/** Checks the rows of one file in order; a text says what is wrong and what would be right. */
export type RowCheck<Item> = (row: Row) => Item | string;
