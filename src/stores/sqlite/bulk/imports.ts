import type { Database } from "bun:sqlite";
import type { ImportRecord } from "../../../domain/transfer.ts";

interface ImportRow extends Omit<ImportRecord, "done" | "total" | "finishedAt"> {
  readonly done: bigint;
  readonly total: bigint;
  readonly finishedAt: bigint;
}

const COLUMNS =
  "digest, done, total, first_id AS firstId, last_id AS lastId, finished_at AS finishedAt FROM import";

export function findImport(database: Database, digest: string): ImportRecord | undefined {
  const row = database.query<ImportRow, [string]>(`SELECT ${COLUMNS} WHERE digest = ?`).get(digest);
  return row ? recordOf(row) : undefined;
}

export function listImports(database: Database): ImportRecord[] {
  return database.query<ImportRow, []>(`SELECT ${COLUMNS} ORDER BY digest`).all().map(recordOf);
}

/** Keeps a record in place of an earlier one of the same file. */
export function keepImport(database: Database, record: ImportRecord): void {
  const { digest, done, total, firstId, lastId, finishedAt } = record;
  database
    .query("INSERT OR REPLACE INTO import VALUES (?, ?, ?, ?, ?, ?)")
    .run(digest, done, total, firstId, lastId, finishedAt);
}

function recordOf(row: ImportRow): ImportRecord {
  return {
    ...row,
    done: Number(row.done),
    total: Number(row.total),
    finishedAt: Number(row.finishedAt),
  };
}
