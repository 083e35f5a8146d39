import type { IdempotencyRecord } from "../../domain/transfer.ts";
import type { Column } from "../column.ts";

/** The columns of an idempotency record, as both engines read them. */
export const IDEMPOTENCY_COLUMNS =
  'line, key, digest, animal_id AS "animalId", order_id AS "orderId", created_at AS "createdAt"';

export interface IdempotencyRow extends Omit<IdempotencyRecord, "line" | "createdAt"> {
  readonly line: bigint;
  readonly createdAt: bigint;
}

export function idempotencyRecordOf(row: IdempotencyRow): IdempotencyRecord {
  return { ...row, line: Number(row.line), createdAt: Number(row.createdAt) };
}

/** The columns that an insertion of records sets. */
export const NEW_IDEMPOTENCY_COLUMNS: readonly Column<IdempotencyRecord>[] = [
  { name: "line", type: "bigint", value: ({ line }) => line },
  { name: "key", type: "text", value: ({ key }) => key },
  { name: "digest", type: "text", value: ({ digest }) => digest },
  { name: "animal_id", type: "bigint", value: ({ animalId }) => animalId },
  { name: "order_id", type: "bigint", value: ({ orderId }) => orderId },
  { name: "created_at", type: "bigint", value: ({ createdAt }) => createdAt },
];
