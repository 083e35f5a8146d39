import type { Database } from "bun:sqlite";
import { incompleteCopy, UnusableStore } from "../errors.ts";
import { scalar } from "./scalar.ts";

const SECRET_BYTES = 32;

/** The secret that signs cursors; `undefined` if no service has run on this store. It also identifies the store. */
export function findCursorSecret(database: Database): Uint8Array | undefined {
  return scalar<Uint8Array>(database, "SELECT value FROM secret WHERE name = 'cursor'");
}

/**
 * The secret that signs cursors, created where there is none.
 *
 * @throws UnusableStore if a copy into this store has begun since it was opened: the copy brings the other store's secret
 */
export function cursorSecret(database: Database): Uint8Array {
  // The usual case needs no write lock.
  const known = findCursorSecret(database);
  if (known) return known;
  database
    .query(
      `INSERT OR IGNORE INTO secret (name, value)
       SELECT 'cursor', ? WHERE NOT EXISTS (SELECT 1 FROM incomplete_copy)`,
    )
    .run(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
  const created = findCursorSecret(database);
  if (!created) throw new UnusableStore(incompleteCopy("this store"));
  return created;
}
