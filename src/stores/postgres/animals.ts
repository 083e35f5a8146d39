import type { Animal, NewAnimal, Status } from "../../domain/animal.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import { LIMIT_MAX, type Page, type PageQuery } from "../../domain/page.ts";
import { RETRY_LIFE_MS } from "../../domain/retry.ts";
import { holdsUnder, type Revision } from "../../domain/revision.ts";
import type { BatchOutcome, Create, Outcome } from "../group-commit.ts";
import { column, columnsOf } from "./columns.ts";
import { isRefusal } from "./errors.ts";
import type { Pool } from "./pool.ts";
import type { Reads } from "./reads.ts";

/**
 * A text for each status. To plan a page costs as much as to read it, so each is planned once, whatever its
 * parameters.
 *
 * The inner limit tells the planner how few rows are wanted at most. Of a limit that is a parameter it assumes a
 * tenth of the table: a cost for which servers with JIT compile the statement.
 */
const LISTS = {
  all: listText("id > $1 ORDER BY id"),
  available: listText(ofStatus("available")),
  pending: listText(ofStatus("pending")),
  sold: listText(ofStatus("sold")),
} as const;

function listText(conditionAndOrder: string): string {
  return `SELECT * FROM (
            SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal
             WHERE ${conditionAndOrder} LIMIT ${LIMIT_MAX + 1}
          ) AS longest LIMIT $2`;
}

/** As a range of the index by status: only that has this order, so the planner is not tempted by another. */
function ofStatus(status: Status): string {
  return `(status, id) > ('${status}', $1) AND status <= '${status}' ORDER BY status, id`;
}

/** Reads and writes the stock. Every statement's text is fixed, since each is prepared and kept. */
export class Animals {
  readonly #pool: Pool;
  readonly #reads: Reads;

  constructor(pool: Pool, reads: Reads) {
    this.#pool = pool;
    this.#reads = reads;
  }

  async list({ status, after, limit }: PageQuery): Promise<Page> {
    // One more than asked for tells whether more follow.
    const rows = await this.#reads.run<Animal[]>((sql) =>
      sql.unsafe(LISTS[status ?? "all"], [after, limit + 1]),
    );
    return { animals: rows.slice(0, limit), more: rows.length > limit };
  }

  async find(id: bigint): Promise<Animal | undefined> {
    const [animal] = await this.#reads.run<Animal[]>(
      (sql) =>
        sql`SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal WHERE id = ${id}`,
    );
    return animal;
  }

  /** @param now milliseconds since 1970 */
  async write(creates: readonly Create[], now: number): Promise<BatchOutcome> {
    // Nearly always all were let in under one revision of the keys. Of several, only the latest can still hold.
    const latest = latestOf(creates);
    if (creates.every(({ keysAsOf }) => isSame(keysAsOf, latest)))
      return this.#writeUnder(latest, creates, now);
    const each: Outcome[] = creates.map(() => ({ keysChanged: true }));
    for (const keysAsOf of [undefined, latest]) {
      const places = [...creates.keys()].filter((at) => isSame(creates[at]?.keysAsOf, keysAsOf));
      const part = places.map((at) => creates[at] as Create);
      const outcomes = outcomesOf(await this.#writeUnder(keysAsOf, part, now), part.length);
      for (const [n, at] of places.entries()) each[at] = outcomes[n] as Outcome;
    }
    return { each };
  }

  /** Where a row is refused, each half is tried by itself: of many, the others cost few transactions more. */
  async #writeUnder(
    keysAsOf: Revision | undefined,
    creates: readonly Create[],
    now: number,
  ): Promise<BatchOutcome> {
    if (creates.length === 0) return { each: [] };
    try {
      return await (creates.some(({ retry }) => retry)
        ? this.#writeRetryable(keysAsOf, creates, now)
        : this.#writePlain(keysAsOf, creates));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (creates.length === 1) return { each: [{ refused: String(error) }] };
      const half = Math.ceil(creates.length / 2);
      const each: Outcome[] = [];
      for (const part of [creates.slice(0, half), creates.slice(half)]) {
        each.push(...outcomesOf(await this.#writeUnder(keysAsOf, part, now), part.length));
      }
      return { each };
    }
  }

  async #writePlain(keysAsOf: Revision | undefined, creates: readonly Create[]): Promise<BatchOutcome> {
    const [row] = await this.#pool.write<{ before: bigint }[]>((sql, epoch) => {
      const { names, categoryIds, statuses } = columnsOf(sql, animalsOf(creates));
      return sql`
        WITH granted AS (
          UPDATE animal_store.state
             SET last_animal_id = last_animal_id + ${creates.length}, stock_revision = stock_revision + 1
           WHERE single AND keys_revision <= ${limitOf(keysAsOf, epoch)}
          RETURNING last_animal_id - ${creates.length} AS before
        ), added AS (
          INSERT INTO animal_store.animal
          SELECT before + n, name, category_id, status
            FROM granted, unnest(${names}::text[], ${categoryIds}::bigint[], ${statuses}::text[])
                 WITH ORDINALITY AS new (name, category_id, status, n)
        )
        SELECT before FROM granted`;
    });
    return row ? { first: row.before + 1n } : { each: creates.map(() => ({ keysChanged: true })) };
  }

  async #writeRetryable(
    keysAsOf: Revision | undefined,
    creates: readonly Create[],
    now: number,
  ): Promise<BatchOutcome> {
    const rows = await this.#pool.write<{ id: bigint; reused: boolean; replayed: boolean }[]>(
      (sql, epoch) => {
        const { names, categoryIds, statuses } = columnsOf(sql, animalsOf(creates));
        const owners = column(sql, creates, ({ retry }) => retry?.owner.toString() ?? null);
        const keys = column(sql, creates, ({ retry }) => retry?.key ?? null);
        const digests = column(sql, creates, ({ retry }) => retry?.digest ?? null);
        return sql`
        WITH held AS MATERIALIZED (
          SELECT FROM animal_store.state WHERE single AND keys_revision <= ${limitOf(keysAsOf, epoch)} FOR UPDATE
        )
        SELECT id, reused, replayed FROM held, LATERAL animal_store.add_retryable(
          ${names}::text[], ${categoryIds}::bigint[], ${statuses}::text[],
          ${owners}::bigint[], ${keys}::text[], ${digests}::text[], ${now}::bigint, ${RETRY_LIFE_MS}::bigint)`;
      },
    );
    if (rows.length === 0) return { each: creates.map(() => ({ keysChanged: true })) };
    return { each: rows.map(({ id, reused, replayed }) => (reused ? { reused } : { id, replayed })) };
  }
}

function outcomesOf(outcome: BatchOutcome, count: number): readonly Outcome[] {
  if ("each" in outcome) return outcome.each;
  return Array.from({ length: count }, (_, n) => ({ id: outcome.first + BigInt(n) }));
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
