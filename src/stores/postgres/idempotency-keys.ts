import type { Pool } from "./connect/pool.ts";
import { Sweep } from "./sweep.ts";

/** Records deleted in one transaction, few enough not to delay creates. */
const SWEEP_MAX = 500;

/**
 * Deletes records from the time `$1` to the time `$2`. It skips records that a create or an order has locked, since it is
 * renewing them. Deleting by `ctid` keeps every plan from scanning the table. The limit is part of the text, since the
 * planner assumes a tenth of the table for a parameter. The lower bound is a pair: between two plain bounds the planner
 * expects so few records that it would read and sort all of them. No record is of line 0.
 */
const DELETE_EXPIRED = `
  WITH deleted AS (
    DELETE FROM animal_store.idempotency_key WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM animal_store.idempotency_key WHERE (created_at, line) >= ($1::bigint, 0) AND created_at <= $2::bigint
       ORDER BY created_at LIMIT ${SWEEP_MAX} FOR UPDATE SKIP LOCKED))
    RETURNING created_at
  )
  SELECT count(*) AS count, max(created_at) AS last FROM deleted`;

/** Deletes idempotency records that have expired, the oldest first. */
export class ExpiredRecords {
  readonly #sweep: Sweep<{ last: bigint }>;

  constructor(pool: Pool) {
    this.#sweep = new Sweep(pool, DELETE_EXPIRED, { last: 0n });
  }

  /** Deletes some records written at `before` (milliseconds since 1970) or earlier; returns their number. */
  delete(before: number): Promise<number> {
    return this.#sweep.step(before);
  }
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
