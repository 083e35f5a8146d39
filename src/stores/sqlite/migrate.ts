import type { Database } from "bun:sqlite";
import { MissingStore } from "../errors.ts";
import { SQLITE_MIGRATIONS } from "../migrations.ts";
import type { StoreKind } from "../opened-store.ts";
import { assertSchemaVersion, FIRST_SCHEMA_VERSION } from "../schema-version.ts";
import { changesSince } from "../store-schema.ts";
import { APPLICATION_IDS, assertApplicationId } from "./application-id.ts";
import { changedParts, repairChanged } from "./changed-migrations.ts";
import { openDatabase } from "./connection.ts";
import { fileExists } from "./file.ts";
import { scalar } from "./scalar.ts";
import { storeFileAt } from "./store-files.ts";
import { BUSY_TIMEOUT_MS, withWriteLock } from "./write-lock.ts";

/** The schema version after this program's last migration. */
export const SCHEMA_VERSION = FIRST_SCHEMA_VERSION + SQLITE_MIGRATIONS.length - 1;

/** What a store of this version still needs. */
export const changesFrom = (found: number) => changesSince(SQLITE_MIGRATIONS, FIRST_SCHEMA_VERSION, found);

/**
 * Migrates the schema to this program's version, under SQLite's write lock: if several processes start at once, one
 * migrates and the others find the schema up to date. What a migration made before it changed is repaired or refused.
 *
 * @param lockWaitMs how long it may wait for that lock; it blocks the thread meanwhile
 * @throws UnusableStore if the file belongs to another program, is another kind of store, or has a schema that is newer,
 *   too old or no release's
 */
export function migrate(
  database: Database,
  file: string,
  lockWaitMs = BUSY_TIMEOUT_MS,
  kind?: StoreKind,
): void {
  const isCurrent = schemaVersion(database, file, kind) === SCHEMA_VERSION;
  if (isCurrent && changedParts(database, SQLITE_MIGRATIONS).length === 0) return;
  const apply = () => {
    const found = schemaVersion(database, file, kind);
    repairChanged(database, file, SQLITE_MIGRATIONS.slice(0, Math.max(found - FIRST_SCHEMA_VERSION + 1, 0)));
    for (const [index, migration] of SQLITE_MIGRATIONS.entries()) {
      if (FIRST_SCHEMA_VERSION + index > found) database.run(migration);
    }
    database.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    database.run(`PRAGMA application_id = ${APPLICATION_IDS[kind ?? "service"]}`);
  };
  withWriteLock(database, apply, lockWaitMs);
}

/**
 * Reads the schema version of a file before anything in it is changed; 0 if the file is empty.
 *
 * @throws UnusableStore as `migrate` does
 */
export function readSchemaVersion(file: string, kind?: StoreKind): number {
  using database = openDatabase(storeFileAt(file));
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return schemaVersion(database, file, kind);
}

/**
 * Asserts that a file is a store, for commands that create none.
 *
 * @throws MissingStore if the file does not exist or is empty; UnusableStore as `migrate` does
 */
export function assertStore(file: string): void {
  if (!fileExists(file) || readSchemaVersion(file) === 0) throw new MissingStore(`sqlite:${file}`);
}

/** The version of the file's schema; 0 if it has none. */
function schemaVersion(database: Database, file: string, kind?: StoreKind): number {
  // In one transaction, since another process may be creating the schema.
  const { owner, version, tables } = database.transaction(() => ({
    owner: Number(scalar(database, "PRAGMA application_id")),
    version: Number(scalar(database, "PRAGMA user_version")),
    tables: Number(scalar(database, "SELECT count(*) FROM sqlite_schema")),
  }))();
  if (owner !== 0 || version !== 0 || tables > 0) assertApplicationId(owner, file, kind);
  assertSchemaVersion(version, SCHEMA_VERSION, file);
  return version;
}
