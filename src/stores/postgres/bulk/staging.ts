import {
  IdsTaken,
  type IncomingAnimal,
  type Publication,
  type Published,
  type Staging,
} from "../../../domain/transfer.ts";
import { publishInBatches } from "../../publish-in-batches.ts";
import { logAppend } from "../change-logs.ts";
import { column, columnsOf } from "../columns.ts";
import { findImport, keepImport } from "./imports.ts";
import type { BulkSession } from "./session.ts";

/**
 * Animals in a temporary table, which goes with the connection. Publishing copies from there within
 * PostgreSQL, under the lock of the state's row: creates wait for that alone.
 */
export class PostgresStaging implements Staging {
  readonly unnoticed = 10_000;
  readonly #session: BulkSession;
  readonly #clock: () => number;
  #count = 0;
  #withIds = false;

  private constructor(session: BulkSession, clock: () => number) {
    this.#session = session;
    this.#clock = clock;
  }

  /** @param clock milliseconds since 1970 */
  static async begin(session: BulkSession, clock: () => number): Promise<PostgresStaging> {
    await session.run((sql) =>
      sql.unsafe(
        "CREATE TEMP TABLE staged (position bigint PRIMARY KEY, id bigint, name text, category_id bigint, status text)",
      ),
    );
    return new PostgresStaging(session, clock);
  }

  async add(animals: readonly IncomingAnimal[]): Promise<void> {
    await this.#session.run((sql) => {
      const ids = column(sql, animals, ({ id }) => id?.toString() ?? null);
      const { names, categoryIds, statuses } = columnsOf(sql, animals);
      return sql`
        INSERT INTO staged SELECT ${this.#count}::bigint + n, id, name, category_id, status
          FROM unnest(${ids}::bigint[], ${names}::text[], ${categoryIds}::bigint[], ${statuses}::text[])
               WITH ORDINALITY AS new (id, name, category_id, status, n)`;
    });
    this.#count += animals.length;
    this.#withIds ||= animals.some(({ id }) => id !== undefined);
  }

  publish({ digest, commitEvery, onProgress }: Publication): Promise<Published> {
    return publishInBatches(this.#count, onProgress, (done) =>
      this.#session.transaction("BEGIN", () => this.#publishSome(digest, done, commitEvery)),
    );
  }

  /** Within a transaction: publishes what comes next, and keeps a record of it. */
  async #publishSome(digest: string | undefined, position: number, count: number): Promise<Published> {
    const [locked] = await this.#session.run<{ last: bigint }[]>(
      (sql) => sql`SELECT animal_store.lock_animal_ids() AS last`,
    );
    const lastBefore = locked?.last ?? 0n;
    const earlier = digest === undefined ? undefined : await findImport(this.#session, digest);
    const from = Math.max(position, earlier?.done ?? 0);
    const done = Math.min(from + count, this.#count);
    const [first, last] = await this.#copy(from, done, lastBefore);
    const firstId = earlier?.firstId ?? first;
    if (digest !== undefined) {
      const finishedAt = this.#clock();
      await keepImport(this.#session, {
        digest,
        done,
        total: this.#count,
        firstId,
        lastId: last,
        finishedAt,
      });
    }
    return { count: done, firstId, lastId: last };
  }

  /** Returns the ids of the first and the last. */
  async #copy(from: number, to: number, lastBefore: bigint): Promise<[bigint, bigint]> {
    if (from >= to) return [lastBefore, lastBefore];
    const [ends] = await this.#session.run<{ first: bigint | null; last: bigint | null }[]>(
      (sql) => sql`SELECT (SELECT id FROM staged WHERE position = ${from + 1}) AS first,
                          (SELECT id FROM staged WHERE position = ${to}) AS last`,
    );
    const first = ends?.first ?? lastBefore + 1n;
    const last = ends?.last ?? lastBefore + BigInt(to - from);
    if (this.#withIds && first <= lastBefore) throw new IdsTaken(lastBefore);
    await this.#session.run(
      (sql) => sql`
        INSERT INTO animal_store.animal
        SELECT coalesce(id, ${lastBefore}::bigint + position - ${from}::bigint), name, category_id, status
          FROM staged WHERE position > ${from}::bigint AND position <= ${to}::bigint ORDER BY position`,
    );
    await this.#session.run((sql) => sql`SELECT setval('animal_store.animal_id_seq', ${last}::bigint)`);
    await this.#session.run(logAppend);
    return [first, last];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.run((sql) => sql.unsafe("DROP TABLE staged")).catch(() => {});
  }
}
