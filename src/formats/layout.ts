/** A member of the items in a file, which is a column in CSV. */
export interface Column {
  readonly name: string;
  readonly type: "integer" | "text";
  /** Whether each row must have it. */
  readonly required?: true;
  /** Whether an empty CSV field counts as a value, which is invalid, rather than as a missing member. */
  readonly emptyIsValue?: true;
}

/** How files represent items of one kind. Members are in the order of `columns`, and integers are exact. */
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
