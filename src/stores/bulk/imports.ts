import type { ImportRecord } from "../../domain/transfer.ts";
import type { Column } from "../column.ts";
import type { BulkDatabase } from "./bulk-database.ts";

/** The columns of an import record, as both engines read them. */
const COLUMNS =
  'digest, done, total, first_id AS "firstId", last_id AS "lastId", finished_at AS "finishedAt"';

interface Row extends Omit<ImportRecord, "done" | "total" | "finishedAt"> {
  readonly done: bigint;
  readonly total: bigint;
  readonly finishedAt: bigint;
}

function recordOf(row: Row): ImportRecord {
  return {
    ...row,
    done: Number(row.done),
    total: Number(row.total),
    finishedAt: Number(row.finishedAt),
  };
}

/** The columns that an insertion of records sets. */
const NEW_COLUMNS: readonly Column<ImportRecord>[] = [
  { name: "digest", type: "text", value: ({ digest }) => digest },
  { name: "done", type: "bigint", value: ({ done }) => done },
  { name: "total", type: "bigint", value: ({ total }) => total },
  { name: "first_id", type: "bigint", value: ({ firstId }) => firstId },
  { name: "last_id", type: "bigint", value: ({ lastId }) => lastId },
  { name: "finished_at", type: "bigint", value: ({ finishedAt }) => finishedAt },
];

/** Ends an insertion of records: a record replaces an earlier one of the same file. */
const REPLACE = `ON CONFLICT (digest) DO UPDATE SET ${NEW_COLUMNS.map(
  ({ name }) => `${name} = excluded.${name}`,
).join(", ")}`;

export async function findImport(database: BulkDatabase, digest: string): Promise<ImportRecord | undefined> {
  const text = `SELECT ${COLUMNS} FROM ${database.schema}import WHERE digest = $1`;
  const [row] = await database.rows<Row>(text, [digest]);
  return row && recordOf(row);
}

/** Whether an import was recorded whose first animal or order has this id. */
export async function hasImportFrom(database: BulkDatabase, firstId: bigint): Promise<boolean> {
  const text = `SELECT digest FROM ${database.schema}import WHERE first_id = CAST($1 AS bigint) LIMIT 1`;
  return (await database.rows(text, [firstId])).length > 0;
}

export async function listImports({ rows, schema, byteOrder }: BulkDatabase): Promise<ImportRecord[]> {
  const text = `SELECT ${COLUMNS} FROM ${schema}import ORDER BY digest ${byteOrder}`;
  return (await rows<Row>(text)).map(recordOf);
}

/** Stores a record in place of an earlier record of the same file. */
export function keepImport(database: BulkDatabase, record: ImportRecord) {
  return database.insert(`${database.schema}import`, NEW_COLUMNS, [record], REPLACE);
}
