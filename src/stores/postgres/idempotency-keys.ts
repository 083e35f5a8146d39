import type { Pool } from "./connect/pool.ts";

/** Records deleted in one transaction, few enough not to delay creates. */
const SWEEP_MAX = 500;

/**
 * Skips records that a create or an order has locked, since it is renewing them. Deleting by `ctid` keeps every plan from
 * scanning the table. The limit is part of the text, since the planner assumes a tenth of the table for a parameter.
 */
const SWEEP = `
  DELETE FROM animal_store.idempotency_key WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM animal_store.idempotency_key WHERE created_at <= $1::bigint
     ORDER BY created_at LIMIT ${SWEEP_MAX} FOR UPDATE SKIP LOCKED))
  RETURNING 1`;

/** Deletes some records written at `before` (milliseconds since 1970) or earlier, oldest first; returns their number. */
export async function deleteExpiredRecords(pool: Pool, before: number): Promise<number> {
  const deleted = await pool.write<unknown[]>((sql) => sql.unsafe(SWEEP, [before]));
  return deleted.length;
}

/**
 * Ends an INSERT of records, under the alias `r`, that claims their keys: it replaces expired records only. An existing
 * record is written with its own values, so that RETURNING shows it.
 *
 * @param past SQL for the time up to which records have expired
 */
export function claimExpired(past: string): string {
  const values = ["digest", "animal_id", "order_id", "created_at"].map(
    (name) => `${name} = CASE WHEN r.created_at > ${past} THEN r.${name} ELSE excluded.${name} END`,
  );
  return `ON CONFLICT (line, key) DO UPDATE SET ${values.join(", ")}`;
}
