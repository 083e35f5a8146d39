import type { SQL } from "bun";
import type { Pool } from "./connect/pool.ts";
import { Sweep } from "./sweep.ts";

/** The newest rows are never deleted, so that the greatest number of a log always remains. */
export const KEPT = 1000;
/** Rows deleted in one transaction. */
const PRUNE_MAX = 10_000;

type Log = "append_log" | "rewrite_log";

/** The logs whose greatest number shows whether animals changed. Their old rows are useless. */
export class ChangeLogs {
  readonly #appends: Sweep<{ last: bigint }>;
  readonly #rewrites: Sweep<{ last: bigint }>;

  constructor(pool: Pool) {
    this.#appends = new Sweep(pool, pruneText("append_log"), { last: 0n });
    this.#rewrites = new Sweep(pool, pruneText("rewrite_log"), { last: 0n });
  }

  /** Deletes a bounded number of old rows; returns that number. */
  async prune(): Promise<number> {
    return (await this.#appends.step()) + (await this.#rewrites.step());
  }
}

/** Records that animals were appended. The transaction must hold the lock on `state`. */
export function logAppend(sql: SQL): PromiseLike<unknown> {
  return sql`INSERT INTO animal_store.append_log DEFAULT VALUES`;
}

/** The limit is part of the text, since the planner assumes a tenth of the table for a parameter. */
function pruneText(log: Log): string {
  return `
    WITH pruned AS (
      DELETE FROM animal_store.${log} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM animal_store.${log}
         WHERE number > $1::bigint
               AND number <= (SELECT number FROM animal_store.${log} ORDER BY number DESC LIMIT 1) - ${KEPT}
         ORDER BY number LIMIT ${PRUNE_MAX}))
      RETURNING number
    )
    SELECT count(*) AS count, max(number) AS last FROM pruned`;
}
