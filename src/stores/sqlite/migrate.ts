import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { MissingStore, UnusableStore } from "../unusable-store.ts";
import { BUSY_TIMEOUT_MS } from "./connection.ts";
import animalsAndKeys from "./migrations/0001-animals-and-keys.sql" with { type: "text" };
import retries from "./migrations/0002-retries.sql" with { type: "text" };
import importsAndCopies from "./migrations/0003-imports-and-copies.sql" with { type: "text" };
import revision from "./migrations/0004-revision.sql" with { type: "text" };
import keyLines from "./migrations/0005-key-lines.sql" with { type: "text" };
import stockCorrections from "./migrations/0006-stock-corrections.sql" with { type: "text" };
import keyEnvironments from "./migrations/0007-key-environments.sql" with { type: "text" };

/** In order; a migration that was released is never changed. `user_version` counts those done. */
const MIGRATIONS: readonly string[] = [
  animalsAndKeys,
  retries,
  importsAndCopies,
  revision,
  keyLines,
  stockCorrections,
  keyEnvironments,
];

/** What this program's own migrations come to. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** "ANST", in SQLite's header: tells our files from other programs' (sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x41_4e_53_54;

/**
 * Brings the schema up to this program's, under SQLite's write lock, so that of several that start at
 * once one migrates and the others find it done.
 *
 * @throws UnusableStore when the file belongs to another program, or to a newer version of this one
 */
export function migrate(database: Database, file: string): void {
  if (schemaVersion(database, file) === MIGRATIONS.length) return;
  database
    .transaction(() => {
      for (const migration of MIGRATIONS.slice(schemaVersion(database, file))) database.run(migration);
      database.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
      database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    })
    .immediate();
}

/**
 * Looks at a file before anything of it is changed, and returns how many migrations it has seen.
 *
 * @throws UnusableStore as `migrate` does
 */
export function refuseStranger(file: string): number {
  using database = new Database(file, { readwrite: true, create: false, safeIntegers: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return schemaVersion(database, file);
}

/**
 * Looks whether a file is a store, for commands that make none.
 *
 * @throws MissingStore where there is no file, or an empty one; UnusableStore as `migrate` does
 */
export function assertStore(file: string): void {
  if (!existsSync(file) || refuseStranger(file) === 0) throw new MissingStore(`sqlite:${file}`);
}

/** How many migrations the file has seen. */
function schemaVersion(database: Database, file: string): number {
  // In one transaction: another process may be making the schema just now.
  const { owner, version, tables } = database.transaction(() => ({
    owner: pragma(database, "application_id"),
    version: pragma(database, "user_version"),
    tables: Number(database.query<{ n: bigint }, []>("SELECT count(*) AS n FROM sqlite_schema").get()?.n),
  }))();
  if (owner !== APPLICATION_ID && (owner !== 0 || version !== 0 || tables > 0)) {
    throw new UnusableStore(`${file} is an SQLite database, but not an Animal Store's. Name another file.`);
  }
  if (version > MIGRATIONS.length) {
    throw new UnusableStore(
      `${file} has schema version ${version}; this program knows versions up to ${MIGRATIONS.length}. ` +
        "Start a version of Animal Store at least as new as the one that wrote it.",
    );
  }
  return version;
}

function pragma(database: Database, name: string): number {
  return Number(database.query<Record<string, bigint>, []>(`PRAGMA ${name}`).get()?.[name]);
}
