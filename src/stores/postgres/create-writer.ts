import type { NewAnimal } from "../../domain/animal.ts";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import { holdsUnder, type Revision } from "../../domain/revision.ts";
import type { Added } from "../../domain/store.ts";
import { type Create, type CreateOutcome, resultsOf } from "../create.ts";
import type { WrittenBatch } from "../group-commit.ts";
import { column, columnsOf } from "./columns.ts";
import type { Work } from "./connect/connection.ts";
import type { Pool } from "./connect/pool.ts";
import { distinct } from "./distinct.ts";
import { isNumberTaken, isRefusal } from "./errors.ts";

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
 * was used (`ON CONFLICT`), which always sees the latest.
 *
 * @param now milliseconds since 1970
 */
export function writeCreates(
  pool: Pool,
  creates: readonly Create[],
  now: number,
): Promise<WrittenBatch<Added>> {
  return new BatchWriter(pool, now).write(creates);
}

class BatchWriter {
  readonly #pool: Pool;
  readonly #now: number;
  readonly #confirmed: Promise<void>[] = [];

  constructor(pool: Pool, now: number) {
    this.#pool = pool;
    this.#now = now;
  }

  async write(creates: readonly Create[]): Promise<WrittenBatch<Added>> {
    // Nearly always all were let in under one revision of the keys. Of several, only the latest can still hold.
    const latest = latestOf(creates);
    const each: CreateOutcome[] = creates.map(() => ({ keysChanged: true }));
    for (const keysAsOf of latest ? [undefined, latest] : [undefined]) {
      const places = [...creates.keys()].filter((at) => isSame(creates[at]?.keysAsOf, keysAsOf));
      const part = places.map((at) => creates[at] as Create);
      const outcomes = await this.#writeUnder(keysAsOf, part);
      for (const [n, at] of places.entries()) each[at] = outcomes[n] as CreateOutcome;
    }
    return { results: resultsOf(creates, each), confirmed: Promise.all(this.#confirmed) };
  }

  /** The whole batch waits for the confirmation of each of its transactions. */
  async #commit<Result>(work: Work<Result>): Promise<Result> {
    const { result, confirmed } = await this.#pool.commit(work);
    this.#confirmed.push(confirmed);
    return result;
  }

  /** Where a row is refused, each half is tried by itself: of many, the others cost few transactions more. */
  async #writeUnder(
    keysAsOf: Revision | undefined,
    creates: readonly Create[],
  ): Promise<readonly CreateOutcome[]> {
    if (creates.length === 0) return [];
    try {
      return await this.#writeAll(keysAsOf, creates);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (creates.length === 1) return [{ refused: String(error) }];
      const half = Math.ceil(creates.length / 2);
      const first = await this.#writeUnder(keysAsOf, creates.slice(0, half));
      return [...first, ...(await this.#writeUnder(keysAsOf, creates.slice(half)))];
    }
  }

  /** Where an animal that was inserted by hand has the next id, ids are taken from behind it. */
  async #writeAll(
    keysAsOf: Revision | undefined,
    creates: readonly Create[],
  ): Promise<readonly CreateOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await (creates.some(({ idempotency }) => idempotency)
          ? this.#writeRetryable(keysAsOf, creates)
          : this.#writePlain(keysAsOf, creates));
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isNumberTaken(error)) throw error;
        await this.#commit((sql) => sql`SELECT animal_store.lock_animal_ids()`);
      }
    }
  }

  async #writePlain(
    keysAsOf: Revision | undefined,
    creates: readonly Create[],
  ): Promise<readonly CreateOutcome[]> {
    const rows = await this.#commit<{ id: bigint }[]>((sql, epoch) => {
      const { names, categoryIds, statuses } = columnsOf(sql, animalsOf(creates));
      return sql`
        WITH locked AS MATERIALIZED (
          SELECT FROM animal_store.state WHERE single AND keys_revision <= ${limitOf(keysAsOf, epoch)} FOR UPDATE
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
    keysAsOf: Revision | undefined,
    all: readonly Create[],
  ): Promise<readonly CreateOutcome[]> {
    const { creates, places } = distinct(all);
    const rows = await this.#commit<Written[]>((sql, epoch) => {
      const { names, categoryIds, statuses } = columnsOf(sql, animalsOf(creates));
      const lines = column(sql, creates, ({ idempotency }) => idempotency?.line.toString() ?? null);
      const keys = column(sql, creates, ({ idempotency }) => idempotency?.key ?? null);
      const digests = column(sql, creates, ({ idempotency }) => idempotency?.digest ?? null);
      const past = this.#now - IDEMPOTENCY_TTL_MS;
      // `created_at + 0`: while statistics say that there are no records, the planner takes the index by age for as good
      // as the one by key, and would read all records for each create.
      return sql`
        WITH locked AS MATERIALIZED (
          SELECT FROM animal_store.state WHERE single AND keys_revision <= ${limitOf(keysAsOf, epoch)} FOR UPDATE
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
          ON CONFLICT (line, key) DO UPDATE SET
            digest = CASE WHEN r.created_at > ${past}::bigint THEN r.digest ELSE excluded.digest END,
            animal_id = CASE WHEN r.created_at > ${past}::bigint THEN r.animal_id ELSE excluded.animal_id END,
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
      const place = places[at] as number;
      const { id, digest, earlier } = rows[place] as Written;
      if (!create.idempotency) return { id };
      if (create.idempotency.digest !== digest) return { reused: true };
      return { id, replayed: earlier || create !== creates[place] };
    });
  }
}

function latestOf(creates: readonly Create[]): Revision | undefined {
  let latest: Revision | undefined;
  for (const { keysAsOf } of creates) {
    if (keysAsOf && (!latest || holdsUnder(keysAsOf, latest, "keys"))) latest = keysAsOf;
  }
  return latest;
}

function isSame(one: Revision | undefined, other: Revision | undefined): boolean {
  return one?.keys === other?.keys && one?.epoch === other?.epoch;
}

/** The revision that the keys in the database must not have passed; of another server's, none will do. */
function limitOf(keysAsOf: Revision | undefined, epoch: number): bigint {
  if (!keysAsOf) return INT64_MAX;
  return keysAsOf.epoch === epoch ? BigInt(keysAsOf.keys) : -1n;
}

function animalsOf(creates: readonly Create[]): NewAnimal[] {
  return creates.map(({ animal }) => animal);
}
