import type { ImportRecord } from "../domain/transfer.ts";

/** The columns of an import record, as both engines read them. */
export const IMPORT_COLUMNS =
  'digest, done, total, first_id AS "firstId", last_id AS "lastId", finished_at AS "finishedAt"';

export interface ImportRow extends Omit<ImportRecord, "done" | "total" | "finishedAt"> {
  readonly done: bigint;
  readonly total: bigint;
  readonly finishedAt: bigint;
}

export function importOf(row: ImportRow): ImportRecord {
  return {
    ...row,
    done: Number(row.done),
    total: Number(row.total),
    finishedAt: Number(row.finishedAt),
  };
}
