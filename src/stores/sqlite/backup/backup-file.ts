import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { UnusableStore } from "../../errors.ts";
import { assertSchemaVersion } from "../../schema-version.ts";
import { assertApplicationId } from "../application-id.ts";
import { SCHEMA_VERSION } from "../migrate.ts";
import { scalar } from "../scalar.ts";
import { lastIdOf } from "../sequence.ts";

/** The contents of a backup that was verified. */
export interface BackupContents {
  readonly animals: number;
  readonly lastAnimalId: bigint;
  readonly orders: number;
  readonly lastOrderId: bigint;
}

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/**
 * Checks the header of a file (sqlite.org/fileformat2.html, section 1.3) and its size.
 *
 * @throws UnusableStore if it is not a backup of a store, was cut short, or has a schema that this program cannot use
 */
export function assertBackup(file: string): void {
  const header = readHeader(file);
  if (header === undefined || header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw new UnusableStore(`${file} is no backup of Animal Store; name a file that \`backup\` has written.`);
  }
  assertApplicationId(header.readUInt32BE(68), file);
  assertSchemaVersion(header.readUInt32BE(60), SCHEMA_VERSION, file);
  // In this field, 1 stands for 65536.
  const pageBytes = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const bytes = header.readUInt32BE(28) * pageBytes;
  const { size } = statSync(file);
  if (size < bytes) {
    throw new UnusableStore(`${file} was cut short: it has ${size} of ${bytes} bytes. Use another backup.`);
  }
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) {
    throw new UnusableStore(
      `${file} has a log beside it, so it is a store in use and not a backup; make one of it with \`backup\`.`,
    );
  }
}

function readHeader(file: string): Buffer | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, "r");
  try {
    return readSync(descriptor, header, 0, HEADER_BYTES, 0) === HEADER_BYTES ? header : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads every page and every index of a backup.
 *
 * @throws UnusableStore if anything is damaged
 */
export function checkBackup(file: string, name: string): BackupContents {
  using database = new Database(file, { readonly: true, safeIntegers: true });
  const damaged = (problem: string) =>
    new UnusableStore(`${name} is damaged: ${problem.replace(/\s+/g, " ")}. Use another backup.`);
  try {
    const found = scalar<string>(database, "PRAGMA integrity_check(1)");
    if (found !== "ok") throw damaged(found ?? "it cannot be checked");
    const animals = contentsOf(database, "animal");
    const orders = contentsOf(database, "store_order");
    if (animals.highest > animals.last || orders.highest > orders.last) {
      throw damaged("it holds ids above the last one given");
    }
    return {
      animals: animals.count,
      lastAnimalId: animals.last,
      orders: orders.count,
      lastOrderId: orders.last,
    };
  } catch (error) {
    throw error instanceof SQLiteError ? damaged(error.message) : error;
  }
}

function contentsOf(database: Database, table: "animal" | "store_order") {
  // Release 0.2.0 had no orders.
  const existing = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
  if (scalar(database, existing, table) === undefined) return { count: 0, highest: 0n, last: 0n };
  return {
    count: Number(scalar<bigint>(database, `SELECT count(*) FROM ${table}`)),
    highest: scalar<bigint | null>(database, `SELECT max(id) FROM ${table}`) ?? 0n,
    last: lastIdOf(database, table),
  };
}
