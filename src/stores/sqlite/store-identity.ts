import { Database, SQLiteError } from "bun:sqlite";
import { findFile } from "../find-file.ts";

/** Which store a file holds, or is a backup of. */
interface StoreIdentity {
  readonly id: string;
  /** When the file was made as a backup, in milliseconds since 1970; `undefined` for a store. */
  readonly backedUpAt: number | undefined;
}

/** The identity in a database; `undefined` if its schema is from before stores had any. */
export function findIdentity(database: Database): StoreIdentity | undefined {
  const existing = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'store_identity'";
  if (database.query(existing).get() === null) return undefined;
  const row = database
    .query<{ id: string; at: bigint | number | null }, []>(
      "SELECT id, backed_up_at AS at FROM store_identity",
    )
    .get();
  return row ? { id: row.id, backedUpAt: row.at === null ? undefined : Number(row.at) } : undefined;
}

/** The identity in a file that no connection of this process uses; `undefined` if it has none or cannot be read. */
export function identityIn(file: string): StoreIdentity | undefined {
  // SQLite would wait for the writer of a pipe.
  if (!findFile(file)?.isFile()) return undefined;
  try {
    using database = new Database(file, { readonly: true });
    return findIdentity(database);
  } catch (error) {
    if (error instanceof SQLiteError) return undefined;
    throw error;
  }
}

/** Makes a file the backup of the store from which it was copied. */
export function markAsBackup(database: Database, at: number): void {
  if (findIdentity(database)) database.query("UPDATE store_identity SET backed_up_at = ?").run(at);
}

/** Makes a database another store than the one from which it was copied. */
export function renewIdentity(database: Database): void {
  database.run("UPDATE store_identity SET id = lower(hex(randomblob(16))), backed_up_at = NULL");
}
