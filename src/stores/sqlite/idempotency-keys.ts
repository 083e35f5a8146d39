import type { Database, Statement } from "bun:sqlite";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";

/** Records deleted in one transaction: a sweep must not keep creates waiting. */
const SWEEP_MAX = 500;

interface RecordRow {
  readonly line: bigint;
  readonly key: string;
  readonly digest: string;
}

/** The creates that may be repeated, as a database keeps them. Times are milliseconds since 1970. */
export class IdempotencyRecords {
  readonly #find: Statement<{ digest: string; animalId: bigint }, [bigint, string, number]>;
  readonly #keep: Statement<unknown, [bigint, string, string, bigint, number]>;
  readonly #sweep: Statement<unknown, [number, number]>;

  constructor(database: Database) {
    this.#find = database.prepare(
      "SELECT digest, animal_id AS animalId FROM idempotency_key WHERE line = ? AND key = ? AND created_at > ?",
    );
    // REPLACE: one that is too old, but not yet swept, makes room.
    this.#keep = database.prepare(
      "INSERT OR REPLACE INTO idempotency_key (line, key, digest, animal_id, created_at) VALUES (?, ?, ?, ?, ?)",
    );
    this.#sweep = database.prepare(
      `DELETE FROM idempotency_key WHERE (line, key) IN
         (SELECT line, key FROM idempotency_key WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
    );
  }

  find({ line, key }: RecordRow, now: number): { digest: string; animalId: bigint } | undefined {
    return this.#find.get(line, key, now - IDEMPOTENCY_TTL_MS) ?? undefined;
  }

  keep({ line, key, digest }: RecordRow, animalId: bigint, now: number): void {
    this.#keep.run(line, key, digest, animalId, now);
  }

  /** Deletes some records that were written at a time or before, the oldest first; returns how many. */
  sweep(before: number): number {
    return this.#sweep.run(before, SWEEP_MAX).changes;
  }
}
