import type { NewAnimal } from "../../domain/animal.ts";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";
import type { Revision } from "../../domain/revision.ts";
import type { Added } from "../../domain/store.ts";
import { type Create, type CreateOutcome, resultsOf } from "../create.ts";
import type { WrittenBatch } from "../group-commit.ts";
import { column, columnsOf } from "./columns.ts";
import type { Pool } from "./connect/pool.ts";
import { distinct } from "./distinct.ts";
import { isNumberTaken } from "./errors.ts";
import { Transactions } from "./transactions.ts";
import { keysLimit, writeParts } from "./write-parts.ts";

/** How often ids are looked for that nobody has taken by hand, before the rows themselves are doubted. */
const ATTEMPTS_MAX = 3;

interface Written {
  readonly id: bigint;
  /** The content of the create that used the same `Idempotency-Key` first, if there is a key. */
  readonly digest: string | null;
  /** Whether that was in an earlier batch. */
  readonly earlier: boolean;
}

/**
 * Writes a batch of creates, in as many transactions as it takes. Every statement locks the row of `state` first and
 * takes its ids under that lock, which is held until the commit: so ids become visible in their order. The row is never
 * written: while a snapshot is held PostgreSQL keeps every version of it, and every request reads it.
 *
 * What a statement reads may be older than its wait for the lock. So it asks the index whether an `Idempotency-Key`
 * was used (`ON CONFLICT`), which always sees the latest. Records are claimed in the order of their keys, as those of
 * orders are, so that the two never wait for each other in a ring.
 *
 * @param now milliseconds since 1970
 */
export async function writeCreates(
  pool: Pool,
  creates: readonly Create[],
  now: number,
): Promise<WrittenBatch<Added>> {
  const transactions = new Transactions(pool);
  const writer = new CreateWriter(transactions, now);
  const outcomes = await writeParts<Create, CreateOutcome>(creates, {
    write: (some, ifKeysAt) => writer.write(some, ifKeysAt),
    keysChanged: { keysChanged: true },
    refused: (reason) => ({ refused: reason }),
  });
  return { results: resultsOf(creates, outcomes), confirmed: transactions.confirmed() };
}

class CreateWriter {
  readonly #transactions: Transactions;
  readonly #now: number;

  constructor(transactions: Transactions, now: number) {
    this.#transactions = transactions;
    this.#now = now;
  }

  /** Where an animal that was inserted by hand has the next id, ids are taken from behind it. */
  async write(creates: readonly Create[], ifKeysAt: Revision | undefined): Promise<readonly CreateOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await (creates.some(({ idempotency }) => idempotency)
          ? this.#writeRetryable(ifKeysAt, creates)
          : this.#writePlain(ifKeysAt, creates));
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isNumberTaken(error)) throw error;
        await this.#transactions.commit((sql) => sql`SELECT animal_store.lock_animal_ids()`);
      }
    }
  }

  async #writePlain(
    ifKeysAt: Revision | undefined,
    creates: readonly Create[],
  ): Promise<readonly CreateOutcome[]> {
    const rows = await this.#transactions.commit<{ id: bigint }[]>((sql, epoch) => {
      const { names, categoryIds, statuses } = columnsOf(sql, animalsOf(creates));
      return sql`
        WITH locked AS MATERIALIZED (
          SELECT FROM animal_store.state WHERE single AND keys_revision <= ${keysLimit(ifKeysAt, epoch)} FOR UPDATE
        ), granted AS MATERIALIZED (
          SELECT nextval('animal_store.animal_id_seq') AS id, name, category_id, status
            FROM locked, unnest(${names}::text[], ${categoryIds}::bigint[], ${statuses}::text[])
                         AS new (name, category_id, status)
        ), logged AS (
          INSERT INTO animal_store.append_log SELECT FROM locked
        ), added AS (
          INSERT INTO animal_store.animal SELECT id, name, category_id, status FROM granted
        )
        SELECT id FROM granted`;
    });
    return rows.length > 0 ? rows : creates.map(() => ({ keysChanged: true }));
  }

  async #writeRetryable(
    ifKeysAt: Revision | undefined,
    all: readonly Create[],
  ): Promise<readonly CreateOutcome[]> {
    const { firsts: creates, positions } = distinct(all);
    const rows = await this.#transactions.commit<Written[]>((sql, epoch) => {
      const { names, categoryIds, statuses } = columnsOf(sql, animalsOf(creates));
      const lines = column(sql, creates, ({ idempotency }) => idempotency?.line.toString() ?? null);
      const keys = column(sql, creates, ({ idempotency }) => idempotency?.key ?? null);
      const digests = column(sql, creates, ({ idempotency }) => idempotency?.digest ?? null);
      const past = this.#now - IDEMPOTENCY_TTL_MS;
      // `created_at + 0`: while statistics say that there are no records, the planner takes the index by age for as good
      // as the one by key, and would read all records for each create.
      return sql`
        WITH locked AS MATERIALIZED (
          SELECT FROM animal_store.state WHERE single AND keys_revision <= ${keysLimit(ifKeysAt, epoch)} FOR UPDATE
        ), asked AS MATERIALIZED (
          SELECT new.*, (SELECT r FROM animal_store.idempotency_key r
                          WHERE r.line = new.line AND r.key = new.key AND r.created_at + 0 > ${past}::bigint) AS known
            FROM locked, unnest(${names}::text[], ${categoryIds}::bigint[], ${statuses}::text[],
                                ${lines}::bigint[], ${keys}::text[], ${digests}::text[])
                         WITH ORDINALITY AS new (name, category_id, status, line, key, digest, n)
        ), granted AS MATERIALIZED (
          SELECT nextval('animal_store.animal_id_seq') AS id, * FROM asked WHERE (known).animal_id IS NULL
        ), claimed AS (
          INSERT INTO animal_store.idempotency_key AS r (line, key, digest, animal_id, created_at)
          SELECT line, key, digest, id, ${this.#now}::bigint FROM granted WHERE key IS NOT NULL
           ORDER BY line, key COLLATE "C"
          ON CONFLICT (line, key) DO UPDATE SET
            digest = CASE WHEN r.created_at > ${past}::bigint THEN r.digest ELSE excluded.digest END,
            animal_id = CASE WHEN r.created_at > ${past}::bigint THEN r.animal_id ELSE excluded.animal_id END,
            order_id = CASE WHEN r.created_at > ${past}::bigint THEN r.order_id END,
            created_at = CASE WHEN r.created_at > ${past}::bigint THEN r.created_at ELSE excluded.created_at END
          RETURNING line, key, digest, animal_id
        ), logged AS (
          INSERT INTO animal_store.append_log SELECT WHERE EXISTS (SELECT FROM granted)
        ), added AS (
          INSERT INTO animal_store.animal
          SELECT id, name, category_id, status FROM granted
           WHERE key IS NULL OR id IN (SELECT animal_id FROM claimed)
        )
        SELECT coalesce((a.known).animal_id, c.animal_id, g.id) AS id, coalesce((a.known).digest, c.digest) AS digest,
               (g.id IS NULL OR c.animal_id <> g.id) IS TRUE AS earlier
          FROM asked a
          LEFT JOIN granted g USING (n)
          LEFT JOIN claimed c ON c.line = g.line AND c.key = g.key
         ORDER BY a.n`;
    });
    if (rows.length === 0) return all.map(() => ({ keysChanged: true }));
    return all.map((create, at) => {
      const position = positions[at] as number;
      const { id, digest, earlier } = rows[position] as Written;
      if (!create.idempotency) return { id };
      if (create.idempotency.digest !== digest) return { reused: true };
      return { id, replayed: earlier || create !== creates[position] };
    });
  }
}

function animalsOf(creates: readonly Create[]): NewAnimal[] {
  return creates.map(({ animal }) => animal);
}
