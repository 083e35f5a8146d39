import type { IdempotencyRecord } from "../domain/transfer.ts";

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
