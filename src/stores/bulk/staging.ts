import { INT64_MAX } from "../../domain/int64.ts";
import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Order } from "../../domain/order.ts";
import {
  IdsTaken,
  type IncomingAnimal,
  type IncomingOrder,
  NoLongerAgrees,
  type Publication,
  type Published,
  type RowProblem,
  type Staging,
} from "../../domain/transfer.ts";
import { UnusableStore } from "../errors.ts";
import { type Column, namesOf, withoutId } from "../table.ts";
import { ANIMAL, ORDER } from "../tables.ts";
import type { BulkDatabase, Part } from "./bulk-database.ts";
import { findImport, hasImportFrom, keepImport } from "./imports.ts";
import { findOrderProblems } from "./order-problems.ts";

/** The pause between two transactions, in which creates of running services can commit. */
const PAUSE_MS = 100;

/** A kind of staged items: the table that they are for, and how they differ from other kinds. */
export interface StagedKind<Item> {
  readonly table: "animal" | "store_order";
  readonly columns: readonly Column<Item>[];
  /** A statement that follows the creation of the temporary table. */
  readonly setUp: string;
  /** Finds the items that contradict the store or items staged earlier. */
  findProblems(database: BulkDatabase, items: readonly Item[]): MaybePromise<readonly RowProblem[]>;
  /** Takes locks before the lock on ids, within the transaction that publishes items. */
  lock(database: BulkDatabase, part: Part): MaybePromise<void>;
  /** Records events for published items, if the store records events. */
  record(database: BulkDatabase, firstId: bigint, lastId: bigint, at: number): MaybePromise<void>;
}

export const STAGED_ANIMALS: StagedKind<IncomingAnimal> = {
  table: "animal",
  columns: ANIMAL.columns,
  setUp: "",
  findProblems: () => [],
  lock: () => {},
  record: ({ feed }, firstId, lastId, at) => feed.animalsAdded(firstId, lastId, at),
};

export const STAGED_ORDERS: StagedKind<IncomingOrder> = {
  table: "store_order",
  columns: ORDER.columns,
  // For the search of problems: an animal has at most one such order.
  setUp: "CREATE INDEX staged_order ON staged (animal_id) WHERE status <> 'cancelled'",
  async findProblems({ staged }, orders) {
    const ids = [...new Set(orders.map(({ petId }) => petId))];
    return findOrderProblems(orders, await staged.orderedAnimals(ids));
  },
  lock: ({ staged }, part) => staged.lockAnimals(part),
  // Imported orders may have changed so long ago that their events would have expired. Readers start again from a list.
  record: ({ feed }) => feed.expirePositions(),
};

/**
 * Begins to stage items in the temporary table `staged`, which disappears with the connection. Publishing copies the items
 * within the engine, so the store is locked only for that, and not while items are read and checked.
 *
 * @param clock milliseconds since 1970
 */
export async function stage<Item extends { readonly id?: bigint }>(
  database: BulkDatabase,
  kind: StagedKind<Item>,
  clock: () => number,
): Promise<Staging<Item>> {
  await database.staged.create(kind.columns, kind.setUp);
  return new StagedItems(database, kind, clock);
}

class StagedItems<Item extends { readonly id?: bigint }> implements Staging<Item> {
  readonly #database: BulkDatabase;
  readonly #kind: StagedKind<Item>;
  readonly #clock: () => number;
  #count = 0;
  #withIds = false;

  constructor(database: BulkDatabase, kind: StagedKind<Item>, clock: () => number) {
    this.#database = database;
    this.#kind = kind;
    this.#clock = clock;
  }

  get smallBatch(): number {
    return this.#database.smallBatch;
  }

  async add(items: readonly Item[]): Promise<readonly RowProblem[]> {
    const problems = await this.#kind.findProblems(this.#database, items);
    const bad = new Set(problems.map(({ index }) => index));
    const good = bad.size === 0 ? items : items.filter((_, index) => !bad.has(index));
    const first = this.#count === 0 ? good[0]?.id : undefined;
    if (first !== undefined) await this.#assertFreeOrRepeated(first);
    await this.#database.insert("staged", this.#kind.columns, good);
    this.#count += good.length;
    this.#withIds ||= good.some(({ id }) => id !== undefined);
    return problems;
  }

  /**
   * Refuses items with taken ids before the rest is read: ids ascend, and a store never gives one again. Items that an
   * earlier import may have published are read to the end, since only the whole says whether they are the same.
   */
  async #assertFreeOrRepeated(first: bigint): Promise<void> {
    if (!(await hasImportFrom(this.#database, first))) await this.#assertFreeFrom(first);
  }

  async assertFree(): Promise<void> {
    const first = await this.#idAt(1);
    if (first) await this.#assertFreeFrom(first);
  }

  async #assertFreeFrom(first: bigint): Promise<void> {
    const last = await this.#database.ids.last(this.#kind.table);
    if (first <= last) throw new IdsTaken(last);
  }

  async publish(publication: Publication): Promise<Published> {
    const { onProgress } = publication;
    const database = this.#database;
    let published: Published = { count: 0, firstId: 0n, lastId: 0n };
    while (published.count < this.#count) {
      const from = published.count;
      const work = () => this.#publishSome(publication, from);
      const next = await database.transaction(work).catch((error) => {
        throw database.isRefusal(error) ? new NoLongerAgrees(error.message) : error;
      });
      published = from === 0 ? next : { ...next, firstId: published.firstId };
      onProgress(published.count);
      if (published.count < this.#count) await Bun.sleep(PAUSE_MS);
    }
    return published;
  }

  /** Publishes the next items and records the import, within a transaction. */
  async #publishSome(publication: Publication, position: number): Promise<Published> {
    const { digest, commitEvery, orders } = publication;
    const database = this.#database;
    const upTo = (from: number) => Math.min(from + commitEvery, this.#count);
    await this.#kind.lock(database, { from: position, to: upTo(position) });
    const lastBefore = await database.ids.lock(this.#kind.table);
    const earlier = digest === undefined ? undefined : await findImport(database, digest);
    const from = Math.max(position, earlier?.done ?? 0);
    // Another import of the same file, at the same time, has published the rest. Its record is right.
    if (earlier && from >= this.#count) {
      return { count: this.#count, firstId: earlier.firstId, lastId: earlier.lastId };
    }
    const done = upTo(from);
    const [first, lastId] = await this.#copy({ from, to: done }, lastBefore, orders);
    const firstId = earlier?.firstId ?? first;
    if (digest !== undefined) {
      const finishedAt = this.#clock();
      await keepImport(database, { digest, done, total: this.#count, firstId, lastId, finishedAt });
    }
    return { count: done, firstId, lastId };
  }

  /** Copies items into their table, and their orders, if any; returns the first and the last id of the items. */
  async #copy(
    { from, to }: Part,
    lastBefore: bigint,
    orders: Publication["orders"],
  ): Promise<[bigint, bigint]> {
    if (from >= to) return [lastBefore, lastBefore];
    const { schema, staged, ids } = this.#database;
    const { table, columns } = this.#kind;
    const first = (await this.#idAt(from + 1)) ?? lastBefore + 1n;
    const last = (await this.#idAt(to)) ?? lastBefore + BigInt(to - from);
    if (this.#withIds && first <= lastBefore) throw new IdsTaken(lastBefore);
    if (last > INT64_MAX) {
      const given = `${this.#database.name} has given id ${lastBefore}`;
      throw new UnusableStore(
        `${given}: too few greater ids are left. Import with --ids new into an empty store.`,
      );
    }
    const names = namesOf(withoutId(columns));
    const text = `
      INSERT INTO ${schema}${table} (id, ${names})
      SELECT coalesce(id, CAST($1 AS bigint) + position - CAST($2 AS bigint)), ${names} FROM staged
       WHERE position > CAST($2 AS bigint) AND position <= CAST($3 AS bigint) ORDER BY position`;
    await staged.copy(table, text, [lastBefore, from, to]);
    await ids.raise(table, last);
    // Orders let every position expire, so no reader would get the events of their animals. The feed is locked last.
    if (orders) await addOrders(this.#database, orders(first));
    else await this.#kind.record(this.#database, first, last, this.#clock());
    return [first, last];
  }

  /** The id that an item brings along, if any. */
  async #idAt(position: number): Promise<bigint | null | undefined> {
    const text = "SELECT id FROM staged WHERE position = CAST($1 AS bigint)";
    return (await this.#database.rows<{ id: bigint | null }>(text, [position]))[0]?.id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database.staged.drop();
  }
}

/** Gives new orders ids and stores them, within a transaction. Every position in the feed expires. */
async function addOrders(
  { ids, orders, feed }: BulkDatabase,
  chunks: Iterable<readonly Omit<Order, "id">[]>,
): Promise<void> {
  let last = await ids.lock("store_order");
  const withIds = function* () {
    for (const chunk of chunks) yield chunk.map((order) => ({ id: ++last, ...order }));
  };
  await orders.add(withIds());
  await ids.raise("store_order", last);
  await feed.expirePositions();
}
