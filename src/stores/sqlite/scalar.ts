import type { Database, SQLQueryBindings } from "bun:sqlite";

/**
 * The only value of a statement's first row; `undefined` if there is no row. The connection keeps the statement prepared,
 * so the text must be constant.
 */
export function scalar<Value>(
  database: Database,
  text: string,
  ...parameters: SQLQueryBindings[]
): Value | undefined {
  const row = database.query<Record<string, Value>, SQLQueryBindings[]>(text).get(...parameters);
  return row ? Object.values(row)[0] : undefined;
}
