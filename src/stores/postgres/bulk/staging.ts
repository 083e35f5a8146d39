import type { SQL } from "bun";
import {
  IdsTaken,
  NoLongerAgrees,
  type Publication,
  type Published,
  type RowProblem,
  type Staging,
} from "../../../domain/transfer.ts";
import { type Column, ID, namesOf } from "../../column.ts";
import { publishInBatches } from "../../publish-in-batches.ts";
import { column } from "../columns.ts";
import { isRefusal } from "../errors.ts";
import { expirePositions } from "./events.ts";
import { findImport, keepImport } from "./imports.ts";
import { addNewOrders } from "./orders.ts";
import { raiseLastId } from "./sequence.ts";
import type { BulkSession } from "./session.ts";

/** A kind of staged items: the table that they are for, and how they differ from other kinds. */
export interface StagedKind<Item> {
  readonly table: "animal" | "store_order";
  /** The columns of the table, without the id. */
  readonly columns: readonly Column<Item>[];
  /** A statement that follows the creation of the temporary table `staged`, for example an index for `findProblems`. */
  readonly setUp?: string;
  /** Finds the items that contradict the store or items staged earlier. */
  findProblems?(session: BulkSession, items: readonly Item[]): Promise<RowProblem[]>;
  /** Takes further locks before the lock on ids, within the transaction that publishes items. */
  lockFor?(session: BulkSession, from: number, to: number): Promise<void>;
  /** The call of a function that locks the ids of the table, and returns the last id given. */
  readonly lockIds: string;
  /** Records events for published items, if the store records events. */
  record(session: BulkSession, firstId: bigint, lastId: bigint, at: number): Promise<void>;
  /** A further statement of that transaction, after the items are in their table. */
  readonly note?: (sql: SQL) => PromiseLike<unknown>;
}

/**
 * Items in a temporary table, which disappears with the connection. Publishing copies the items within PostgreSQL, under the
 * lock that orders ids; other writers wait only for that.
 */
export class PostgresStaging<Item extends { readonly id?: bigint }> implements Staging<Item> {
  readonly smallBatch = 10_000;
  readonly #kind: StagedKind<Item>;
  readonly #session: BulkSession;
  readonly #clock: () => number;
  /** The columns without the id, as SQL. */
  readonly #columns: string;
  #count = 0;
  #withIds = false;

  private constructor(kind: StagedKind<Item>, session: BulkSession, clock: () => number) {
    this.#kind = kind;
    this.#session = session;
    this.#clock = clock;
    this.#columns = namesOf(kind.columns);
  }

  /** @param clock milliseconds since 1970 */
  static async begin<Item extends { readonly id?: bigint }>(
    kind: StagedKind<Item>,
    session: BulkSession,
    clock: () => number,
  ): Promise<PostgresStaging<Item>> {
    const columns = kind.columns.map(({ name, type }) => `${name} ${type}`).join(", ");
    await session.run((sql) =>
      sql.unsafe(`CREATE TEMP TABLE staged (position bigint PRIMARY KEY, id bigint, ${columns})`),
    );
    const { setUp } = kind;
    if (setUp !== undefined) await session.run((sql) => sql.unsafe(setUp));
    return new PostgresStaging(kind, session, clock);
  }

  async add(items: readonly Item[]): Promise<readonly RowProblem[]> {
    const problems = (await this.#kind.findProblems?.(this.#session, items)) ?? [];
    const bad = new Set(problems.map(({ index }) => index));
    const good = bad.size === 0 ? items : items.filter((_, index) => !bad.has(index));
    if (good.length === 0) return problems;
    const columns = [ID, ...this.#kind.columns];
    const arrays = columns.map(({ type }, at) => `$${at + 2}::${type}[]`);
    const names = namesOf(columns);
    await this.#session.run((sql) =>
      sql.unsafe(
        `INSERT INTO staged SELECT $1::bigint + n, ${names}
           FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS new (${names}, n)`,
        [this.#count, ...columns.map(({ value }) => column(sql, good, value))],
      ),
    );
    this.#count += good.length;
    this.#withIds ||= good.some(({ id }) => id !== undefined);
    return problems;
  }

  publish({ digest, commitEvery, onProgress, orders }: Publication): Promise<Published> {
    return publishInBatches(this.#count, onProgress, (done) =>
      this.#session
        .transaction(async () => {
          const published = await this.#publishSome(digest, done, commitEvery);
          if (orders) {
            await addNewOrders(this.#session, orders(published.firstId));
            await expirePositions(this.#session);
          }
          return published;
        })
        .catch((error) => {
          throw isRefusal(error) ? new NoLongerAgrees((error as Error).message) : error;
        }),
    );
  }

  /** Publishes the next items and records the import, within a transaction. */
  async #publishSome(digest: string | undefined, position: number, count: number): Promise<Published> {
    await this.#kind.lockFor?.(this.#session, position, Math.min(position + count, this.#count));
    const [locked] = await this.#session.run<{ last: bigint }[]>((sql) =>
      sql.unsafe(`SELECT ${this.#kind.lockIds} AS last`),
    );
    const lastBefore = locked?.last ?? 0n;
    const earlier = digest === undefined ? undefined : await findImport(this.#session, digest);
    const from = Math.max(position, earlier?.done ?? 0);
    const done = Math.min(from + count, this.#count);
    const [first, last] = await this.#copy(from, done, lastBefore);
    if (done > from) await this.#kind.record(this.#session, first, last, this.#clock());
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

  /** Returns the first and the last id. */
  async #copy(from: number, to: number, lastBefore: bigint): Promise<[bigint, bigint]> {
    if (from >= to) return [lastBefore, lastBefore];
    const [ends] = await this.#session.run<{ first: bigint | null; last: bigint | null }[]>(
      (sql) => sql`SELECT (SELECT id FROM staged WHERE position = ${from + 1}) AS first,
                          (SELECT id FROM staged WHERE position = ${to}) AS last`,
    );
    const first = ends?.first ?? lastBefore + 1n;
    const last = ends?.last ?? lastBefore + BigInt(to - from);
    if (this.#withIds && first <= lastBefore) throw new IdsTaken(lastBefore);
    const { table, note } = this.#kind;
    await this.#session.run((sql) =>
      sql.unsafe(
        `INSERT INTO animal_store.${table} (id, ${this.#columns})
         SELECT coalesce(id, $1::bigint + position - $2::bigint), ${this.#columns}
           FROM staged WHERE position > $2::bigint AND position <= $3::bigint ORDER BY position`,
        [lastBefore, from, to],
      ),
    );
    await raiseLastId(this.#session, table, last);
    if (note) await this.#session.run(note);
    return [first, last];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.run((sql) => sql.unsafe("DROP TABLE staged")).catch(() => {});
  }
}
