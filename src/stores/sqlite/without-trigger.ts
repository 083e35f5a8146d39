import type { Database } from "bun:sqlite";

/**
 * Does work within a transaction without a trigger, which costs each row as much as half of its insertion. Nobody
 * else sees that it was gone; but all see that the schema was changed, and so take nothing that they know of the
 * store for what it still is.
 */
export function withoutTrigger(database: Database, name: string, work: () => void): void {
  const row = database
    .query<{ sql: string }, [string]>("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?")
    .get(name);
  database.run(`DROP TRIGGER IF EXISTS ${name}`);
  work();
  if (row) database.run(row.sql);
}
