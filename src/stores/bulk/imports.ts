import type { ImportRecord } from "../../domain/transfer.ts";
import type { RowOf } from "../table.ts";
import { IMPORT } from "../tables.ts";
import type { BulkDatabase } from "./bulk-database.ts";

/** Ends an insertion of records: a record replaces an earlier one of the same file. */
const REPLACE = `ON CONFLICT (digest) DO UPDATE SET ${IMPORT.columns
  .map(({ name }) => `${name} = excluded.${name}`)
  .join(", ")}`;

/** The record of an import, if there is one. @param digest of its file: SHA-256, in hexadecimal */
export async function findImport(database: BulkDatabase, digest: string): Promise<ImportRecord | undefined> {
  const text = `SELECT ${IMPORT.selection} FROM ${database.schema}import WHERE digest = $1`;
  const [row] = await database.rows<RowOf<ImportRecord>>(text, [digest]);
  return row && IMPORT.parse(row);
}

/** Whether an import was recorded whose first animal or order has this id. */
export async function hasImportFrom(database: BulkDatabase, firstId: bigint): Promise<boolean> {
  const text = `SELECT digest FROM ${database.schema}import WHERE first_id = CAST($1 AS bigint) LIMIT 1`;
  return (await database.rows(text, [firstId])).length > 0;
}

/** The records of all imports, by their digests. */
export async function listImports({ rows, schema, byteOrder }: BulkDatabase): Promise<ImportRecord[]> {
  const text = `SELECT ${IMPORT.selection} FROM ${schema}import ORDER BY digest ${byteOrder}`;
  return (await rows<RowOf<ImportRecord>>(text)).map(IMPORT.parse);
}

/** Stores a record in place of an earlier record of the same file. */
export function keepImport(database: BulkDatabase, record: ImportRecord) {
  return database.insert(`${database.schema}import`, IMPORT.columns, [record], REPLACE);
}
