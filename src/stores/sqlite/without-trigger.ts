import type { Database } from "bun:sqlite";

/**
 * Runs work without a trigger, within a transaction: the trigger would cost each row as much as half of its insertion. No
 * other connection sees that it was gone. They only see a changed schema, which invalidates everything that they cached.
 */
export function withoutTrigger(database: Database, name: string, work: () => void): void {
  const row = database
    .query<{ sql: string }, [string]>("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?")
    .get(name);
  database.run(`DROP TRIGGER IF EXISTS ${name}`);
  work();
  if (row) database.run(row.sql);
}
