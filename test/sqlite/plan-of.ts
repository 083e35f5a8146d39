import { Database } from "bun:sqlite";

/** How SQLite carries out a statement on the store in a file: a line for each step. */
export function planOf(file: string, statement: string): string[] {
  using database = new Database(file);
  return database
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`)
    .all()
    .map(({ detail }) => detail);
}
