import type { ImportRecord } from "../../../domain/transfer.ts";
import type { BulkSession } from "./session.ts";

interface ImportRow {
  readonly digest: string;
  readonly done: bigint;
  readonly total: bigint;
  readonly first_id: bigint;
  readonly last_id: bigint;
  readonly finished_at: bigint;
}

export async function findImport(session: BulkSession, digest: string): Promise<ImportRecord | undefined> {
  const [row] = await session.run<ImportRow[]>(
    (sql) => sql`SELECT * FROM animal_store.import WHERE digest = ${digest}`,
  );
  return row && recordOf(row);
}

export async function listImports(session: BulkSession): Promise<ImportRecord[]> {
  const rows = await session.run<ImportRow[]>(
    (sql) => sql`SELECT * FROM animal_store.import ORDER BY digest COLLATE "C"`,
  );
  return rows.map(recordOf);
}

/** Keeps a record in place of an earlier one of the same file. */
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

function recordOf(row: ImportRow): ImportRecord {
  return {
    digest: row.digest,
    done: Number(row.done),
    total: Number(row.total),
    firstId: row.first_id,
    lastId: row.last_id,
    finishedAt: Number(row.finished_at),
  };
}
