import type { Database, Statement } from "bun:sqlite";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";
import type { IdempotencyRecord } from "../../domain/transfer.ts";
import type { RowOf } from "../table.ts";
import { IDEMPOTENCY_RECORD } from "../tables.ts";

/** Records deleted in one transaction, few enough not to delay creates. */
const SWEEP_MAX = 500;

type Integer = bigint | number;

/** A request that its client may retry. */
interface Claim {
  readonly line: Integer;
  readonly key: string;
  readonly digest: string;
}

/** The idempotency records of a database. Times are milliseconds since 1970. */
export class IdempotencyRecords {
  readonly #find: Statement<RowOf<IdempotencyRecord>, [Integer, string, number]>;
  readonly #keep: Statement<unknown, [Integer, string, string, bigint, bigint | null, number]>;
  readonly #sweep: Statement<unknown, [number, number]>;

  constructor(database: Database) {
    this.#find = database.prepare(
      `SELECT ${IDEMPOTENCY_RECORD.selection} FROM idempotency_key WHERE line = ? AND key = ? AND created_at > ?`,
    );
    // REPLACE: an expired record may not have been deleted yet.
    this.#keep = database.prepare(
      `INSERT OR REPLACE INTO idempotency_key (line, key, digest, animal_id, order_id, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#sweep = database.prepare(
      `DELETE FROM idempotency_key WHERE (line, key) IN
         (SELECT line, key FROM idempotency_key WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
    );
  }

  /** The outcome of the first request with an `Idempotency-Key`; an order was placed when its record was created. */
  find({ line, key }: Claim, now: number): IdempotencyRecord | undefined {
    const row = this.#find.get(line, key, now - IDEMPOTENCY_TTL_MS);
    return row ? IDEMPOTENCY_RECORD.parse(row) : undefined;
  }

  keep({ line, key, digest }: Claim, animalId: bigint, orderId: bigint | null, now: number): void {
    this.#keep.run(line, key, digest, animalId, orderId, now);
  }

  /** Deletes some records written at `before` or earlier, oldest first; returns their number. */
  sweep(before: number): number {
    return this.#sweep.run(before, SWEEP_MAX).changes;
  }
}
