/** What one migration changes, for people. */
interface SchemaChange {
  /** The version of the schema after it. */
  readonly version: number;
  readonly about: string;
  /** The tables that it adds. */
  readonly tables: readonly string[];
  /** The columns that it adds to tables of earlier versions: `idempotency_key.order_id`. */
  readonly columns: readonly string[];
}

/** The schema of a store. Its version is the number of its last migration. */
export interface StoreSchema {
  /** 0 if there is no store. */
  readonly version: number;
  /** The version that this program needs. */
  readonly wanted: number;
  /** What `migrate` would change, in order. */
  readonly changes: readonly SchemaChange[];
  /** Migrates the store to the wanted version, creating it if there is none. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Describes the migrations that a store still needs. The comment at the top of each says in its first sentence what the
 * migration is about.
 *
 * @param migrations in order
 * @param first the version after the first of them
 * @param found the version of the store
 */
export function changesSince(migrations: readonly string[], first: number, found: number): SchemaChange[] {
  return migrations
    .map((sql, index) => ({
      version: first + index,
      about: (/^-- ([^.]+)/.exec(sql)?.[1] ?? "").replaceAll("\n-- ", " "),
      tables: [...sql.matchAll(/^CREATE TABLE (?:animal_store\.)?(\w+)/gm)].map(([, name = ""]) => name),
      columns: [...sql.matchAll(/^ALTER TABLE (?:animal_store\.)?(\w+) ADD COLUMN (\w+)/gm)].map(
        ([, table, name]) => `${table}.${name}`,
      ),
    }))
    .filter(({ version }) => version > found);
}
