import type { Database } from "bun:sqlite";
import { scalar } from "./scalar.ts";

/**
 * Runs work without a trigger, within a transaction: the trigger would cost each row as much as half of its insertion. No
 * other connection sees that it was gone. They only see a changed schema, which invalidates everything that they cached.
 */
export function withoutTrigger(database: Database, name: string, work: () => void): void {
  const definition = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?";
  const trigger = scalar<string>(database, definition, name);
  database.run(`DROP TRIGGER IF EXISTS ${name}`);
  work();
  if (trigger !== undefined) database.run(trigger);
}
