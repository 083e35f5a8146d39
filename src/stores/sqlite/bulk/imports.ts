import type { Database } from "bun:sqlite";
import type { ImportRecord } from "../../../domain/transfer.ts";
import { IMPORT_COLUMNS, type ImportRow, importOf } from "../../import-row.ts";

export function findImport(database: Database, digest: string): ImportRecord | undefined {
  const row = database
    .query<ImportRow, [string]>(`SELECT ${IMPORT_COLUMNS} FROM import WHERE digest = ?`)
    .get(digest);
  return row ? importOf(row) : undefined;
}

export function listImports(database: Database): ImportRecord[] {
  return database
    .query<ImportRow, []>(`SELECT ${IMPORT_COLUMNS} FROM import ORDER BY digest`)
    .all()
    .map(importOf);
}

/** Stores a record in place of an earlier record of the same file. */
export function keepImport(database: Database, record: ImportRecord): void {
  const { digest, done, total, firstId, lastId, finishedAt } = record;
  database
    .query("INSERT OR REPLACE INTO import VALUES (?, ?, ?, ?, ?, ?)")
    .run(digest, done, total, firstId, lastId, finishedAt);
}
