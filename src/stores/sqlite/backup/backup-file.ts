import { Database, SQLiteError } from "bun:sqlite";
import { statSync } from "node:fs";
import { UnusableStore } from "../../errors.ts";
import { assertSchemaVersion } from "../../schema-version.ts";
import { assertApplicationId } from "../application-id.ts";
import { SCHEMA_VERSION } from "../migrate.ts";
import { scalar } from "../scalar.ts";
import { lastIdOf } from "../sequence.ts";
import { behindLink, companionsOf, readHeader } from "../store-files.ts";
import { findIdentity } from "../store-identity.ts";

/** The contents of a backup that was verified. */
export interface BackupContents {
  readonly animals: number;
  readonly lastAnimalId: bigint;
  readonly orders: number;
  readonly lastOrderId: bigint;
  readonly keys: number;
  readonly schemaVersion: number;
  /** The identity of the store; `undefined` if the backup is from before stores had any. */
  readonly identity: string | undefined;
  /** When it was made, in RFC 3339; `undefined` if it does not say. */
  readonly madeAt: string | undefined;
}

/**
 * Checks the header of a file and its size.
 *
 * @param path the file, or a symbolic link to it
 * @throws UnusableStore if it is not a backup of a store, was cut short, or has a schema that this program cannot use
 */
export function assertBackup(path: string): void {
  const header = readHeader(path);
  if (header === undefined) {
    throw new UnusableStore(
      `${path} is not a backup of Animal Store; name a file that \`backup\` has written.`,
    );
  }
  assertApplicationId(header.applicationId, path);
  assertSchemaVersion(header.userVersion, SCHEMA_VERSION, path);
  const { size } = statSync(path);
  if (size < header.bytes) {
    throw new UnusableStore(
      `${path} was cut short: it has ${size} of ${header.bytes} bytes. Use another backup.`,
    );
  }
  // SQLite keeps them beside the file that a link leads to.
  const companion = companionsOf(behindLink(path))[0];
  if (companion !== undefined || header.hasLog) {
    throw new UnusableStore(
      `${path} is a store${companion ? `, with ${companion} beside it,` : ""} and not a backup: restoring the file alone ` +
        `could lose what its log holds. Make a backup of it: animal-store backup FILE --database sqlite:${path}`,
    );
  }
}

/**
 * Reads every page and every index of a backup.
 *
 * @throws UnusableStore if anything is damaged
 */
export function checkBackup(file: string, name: string): BackupContents {
  return reading(file, name, (database, damaged) => {
    const found = scalar<string>(database, "PRAGMA integrity_check(1)");
    if (found !== "ok") throw damaged(found ?? "it cannot be checked");
    return contentsOf(database, damaged);
  });
}

/**
 * Reads what a backup, which was checked before, holds under its final name.
 *
 * @throws UnusableStore if SQLite finds anything else there than what was checked
 */
export function assertBackupHolds(file: string, contents: BackupContents): void {
  const found = reading(file, file, contentsOf);
  assertBackup(file);
  if (!Bun.deepEquals(found, contents)) {
    throw new UnusableStore(
      `${file} does not hold what was written: another program has changed it. Back up again.`,
    );
  }
}

type Damaged = (problem: string) => UnusableStore;

function reading(
  file: string,
  name: string,
  read: (database: Database, damaged: Damaged) => BackupContents,
): BackupContents {
  using database = new Database(file, { readonly: true, safeIntegers: true });
  const damaged: Damaged = (problem) =>
    new UnusableStore(`${name} is damaged: ${problem.replace(/\s+/g, " ")}. Use another backup.`);
  try {
    return read(database, damaged);
  } catch (error) {
    throw error instanceof SQLiteError ? damaged(error.message) : error;
  }
}

function contentsOf(database: Database, damaged: Damaged): BackupContents {
  const animals = rowsOf(database, "animal");
  const orders = rowsOf(database, "store_order");
  if (animals.highest > animals.last || orders.highest > orders.last) {
    throw damaged("it holds ids above the last one given");
  }
  const identity = findIdentity(database);
  return {
    animals: animals.count,
    lastAnimalId: animals.last,
    orders: orders.count,
    lastOrderId: orders.last,
    keys: Number(scalar<bigint>(database, "SELECT count(*) FROM api_key")),
    schemaVersion: Number(scalar<bigint>(database, "PRAGMA user_version")),
    identity: identity?.id,
    madeAt: identity?.backedUpAt === undefined ? undefined : new Date(identity.backedUpAt).toISOString(),
  };
}

function rowsOf(database: Database, table: "animal" | "store_order") {
  // Release 0.2.0 had no orders.
  const existing = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
  if (scalar(database, existing, table) === undefined) return { count: 0, highest: 0n, last: 0n };
  return {
    count: Number(scalar<bigint>(database, `SELECT count(*) FROM ${table}`)),
    highest: scalar<bigint | null>(database, `SELECT max(id) FROM ${table}`) ?? 0n,
    last: lastIdOf(database, table),
  };
}
