import type { SQL } from "bun";
import type { Animal } from "../../domain/animal.ts";
import type { Page, PageQuery } from "../../domain/page.ts";
import { RETRY_LIFE_MS } from "../../domain/retry.ts";
import type { BatchOutcome, Create, Outcome } from "../group-commit.ts";
import { isRefusal } from "./errors.ts";
import type { Pool } from "./pool.ts";

/** Reads and writes the stock. Every statement's text is fixed, since each is prepared and kept. */
export class Animals {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async list({ status, after, limit }: PageQuery): Promise<Page> {
    // One more than asked for tells whether more follow.
    const rows = await this.#pool.read<Animal[]>((sql) =>
      status === undefined
        ? sql`SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal
              WHERE id > ${after} ORDER BY id LIMIT ${limit + 1}`
        : sql`SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal
              WHERE status = ${status} AND id > ${after} ORDER BY id LIMIT ${limit + 1}`,
    );
    return { animals: rows.slice(0, limit), more: rows.length > limit };
  }

  async find(id: bigint): Promise<Animal | undefined> {
    const [animal] = await this.#pool.read<Animal[]>(
      (sql) =>
        sql`SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal WHERE id = ${id}`,
    );
    return animal;
  }

  /** @param now milliseconds since 1970 */
  async write(creates: readonly Create[], now: number): Promise<BatchOutcome> {
    try {
      return await this.#writeAll(creates, now);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (creates.length === 1) return { each: [{ refused: String(error) }] };
      const each: Outcome[] = [];
      for (const create of creates) {
        const outcome = await this.write([create], now);
        each.push("first" in outcome ? { id: outcome.first } : (outcome.each[0] as Outcome));
      }
      return { each };
    }
  }

  #writeAll(creates: readonly Create[], now: number): Promise<BatchOutcome> {
    return creates.some(({ retry }) => retry)
      ? this.#writeRetryable(creates, now)
      : this.#writePlain(creates);
  }

  async #writePlain(creates: readonly Create[]): Promise<BatchOutcome> {
    const [row] = await this.#pool.write<{ before: bigint }[]>((sql) => {
      const { names, categoryIds, statuses } = columnsOf(sql, creates);
      return sql`
        WITH granted AS (
          UPDATE animal_store.state
             SET last_animal_id = last_animal_id + ${creates.length}, stock_revision = stock_revision + 1
          RETURNING last_animal_id - ${creates.length} AS before
        ), added AS (
          INSERT INTO animal_store.animal
          SELECT before + n, name, category_id, status
            FROM granted, unnest(${names}::text[], ${categoryIds}::bigint[], ${statuses}::text[])
                 WITH ORDINALITY AS new (name, category_id, status, n)
        )
        SELECT before FROM granted`;
    });
    return { first: (row?.before ?? 0n) + 1n };
  }

  async #writeRetryable(creates: readonly Create[], now: number): Promise<BatchOutcome> {
    const rows = await this.#pool.write<{ id: bigint; reused: boolean }[]>((sql) => {
      const { names, categoryIds, statuses } = columnsOf(sql, creates);
      const owners = texts(
        sql,
        creates.map(({ retry }) => retry?.owner.toString() ?? null),
      );
      const keys = texts(
        sql,
        creates.map(({ retry }) => retry?.key ?? null),
      );
      const digests = texts(
        sql,
        creates.map(({ retry }) => retry?.digest ?? null),
      );
      return sql`
        SELECT id, reused FROM animal_store.add_retryable(
          ${names}::text[], ${categoryIds}::bigint[], ${statuses}::text[],
          ${owners}::bigint[], ${keys}::text[], ${digests}::text[], ${now}::bigint, ${RETRY_LIFE_MS}::bigint)`;
    });
    return { each: rows.map(({ id, reused }) => (reused ? { reused } : { id })) };
  }
}

function columnsOf(sql: SQL, creates: readonly Create[]) {
  return {
    names: texts(
      sql,
      creates.map(({ animal }) => animal.name),
    ),
    categoryIds: texts(
      sql,
      creates.map(({ animal }) => animal.categoryId.toString()),
    ),
    statuses: texts(
      sql,
      creates.map(({ animal }) => animal.status),
    ),
  };
}

function texts(sql: SQL, values: (string | null)[]): ReturnType<SQL["array"]> {
  return sql.array(values, "TEXT");
}
