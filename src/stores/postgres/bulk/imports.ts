import type { ImportRecord } from "../../../domain/transfer.ts";
import { IMPORT_COLUMNS, type ImportRow, importOf } from "../../import-row.ts";
import type { BulkSession } from "./session.ts";

export async function findImport(session: BulkSession, digest: string): Promise<ImportRecord | undefined> {
  const [row] = await session.run<ImportRow[]>((sql) =>
    sql.unsafe(`SELECT ${IMPORT_COLUMNS} FROM animal_store.import WHERE digest = $1`, [digest]),
  );
  return row && importOf(row);
}

export async function listImports(session: BulkSession): Promise<ImportRecord[]> {
  const rows = await session.run<ImportRow[]>((sql) =>
    sql.unsafe(`SELECT ${IMPORT_COLUMNS} FROM animal_store.import ORDER BY digest COLLATE "C"`),
  );
  return rows.map(importOf);
}

/** Stores a record in place of an earlier record of the same file. */
export async function keepImport(session: BulkSession, record: ImportRecord): Promise<void> {
  const { digest, done, total, firstId, lastId, finishedAt } = record;
  await session.run(
    (sql) => sql`
      INSERT INTO animal_store.import VALUES (${digest}, ${done}::bigint, ${total}::bigint, ${firstId}::bigint,
                                              ${lastId}::bigint, ${finishedAt}::bigint)
      ON CONFLICT (digest) DO UPDATE SET done = excluded.done, total = excluded.total, first_id = excluded.first_id,
                                         last_id = excluded.last_id, finished_at = excluded.finished_at`,
  );
}
