import type { Database } from "bun:sqlite";
import { dirname, resolve } from "node:path";
import type { EventSink } from "../../../domain/event.ts";
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
import { attempt } from "../connection.ts";
import { isRefusal } from "../errors.ts";
import { EventLog } from "../event-log.ts";
import { expirePositions } from "../feed.ts";
import type { OpenedFiles } from "../opened-files.ts";
import { lastIdOf } from "../sequence.ts";
import { withoutTrigger } from "../without-trigger.ts";
import { changeInTurn } from "../write-turn.ts";
import { findImport, keepImport } from "./imports.ts";
import { insertRows } from "./insert-rows.ts";
import { addAgreeingOrders } from "./orders.ts";

const CACHE_KIB = 64 * 1024;

/** A kind of staged items: the table that they are for, and how they differ from other kinds. */
export interface StagedKind<Item> {
  readonly table: "animal" | "store_order";
  /** The columns of the table, without the id. */
  readonly columns: readonly Column<Item>[];
  /** A statement that follows the creation of the temporary table `staged`, for example an index for `findProblems`. */
  readonly setUp?: string;
  /** Finds the items that contradict the store or items staged earlier. */
  findProblems?(database: Database, items: readonly Item[]): RowProblem[];
  /** Records events for published items; called only if the store records events. */
  record(database: Database, log: EventLog, firstId: bigint, lastId: bigint, at: number): void;
  /** A trigger that never acts on published items, so that publishing can skip it. */
  readonly needlessTrigger?: string;
}

/** The store that items are staged beside. */
interface StagingPlace {
  readonly database: Database;
  readonly file: string;
  readonly files: OpenedFiles;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Receives an event if publishing has to wait for the write lock. */
  readonly emit: EventSink;
}

/**
 * Items in a temporary table. SQLite keeps it in an unnamed file beside the store, which disappears when this process ends,
 * however it ends. Publishing copies the items within SQLite, so the store is locked only for that, and not while items
 * are read and checked.
 */
export class SqliteStaging<Item extends { readonly id?: bigint }> implements Staging<Item> {
  readonly smallBatch = 50_000;
  readonly #kind: StagedKind<Item>;
  readonly #place: StagingPlace;
  readonly #database: Database;
  readonly #columns: readonly Column<Item>[];
  readonly #log: EventLog;
  #count = 0;
  #withIds = false;

  constructor(kind: StagedKind<Item>, place: StagingPlace) {
    const { database, file } = place;
    this.#kind = kind;
    this.#place = place;
    this.#database = database;
    // The disk of the store has space for its animals; /tmp may be small.
    database.run("PRAGMA temp_store = FILE");
    database.run(`PRAGMA temp_store_directory = '${dirname(resolve(file)).replaceAll("'", "''")}'`);
    database.run(`PRAGMA cache_size = ${-CACHE_KIB}`);
    this.#columns = [ID, ...kind.columns];
    const columns = namesOf(this.#columns);
    database.run(`CREATE TEMP TABLE staged (position INTEGER PRIMARY KEY, ${columns})`);
    if (kind.setUp !== undefined) database.run(kind.setUp);
    this.#log = new EventLog(database);
  }

  async add(items: readonly Item[]): Promise<readonly RowProblem[]> {
    return attempt(this.#database, () => {
      const problems = this.#kind.findProblems?.(this.#database, items) ?? [];
      const bad = new Set(problems.map(({ index }) => index));
      const good = bad.size === 0 ? items : items.filter((_, index) => !bad.has(index));
      this.#database.transaction(() => insertRows(this.#database, "staged", this.#columns, good))();
      this.#count += good.length;
      this.#withIds ||= good.some(({ id }) => id !== undefined);
      return problems;
    });
  }

  publish({ digest, commitEvery, onProgress, orders }: Publication): Promise<Published> {
    return publishInBatches(this.#count, onProgress, async (done) => {
      const work = () => {
        const published = this.#publishSome(digest, done, commitEvery);
        if (orders) {
          addAgreeingOrders(this.#database, orders(published.firstId));
          if (this.#log.isRecording()) expirePositions(this.#database);
        }
        return published;
      };
      const published = await changeInTurn(this.#database, work, this.#place.emit).catch((error) => {
        throw isRefusal(error) ? new NoLongerAgrees(error.message) : error;
      });
      this.#place.files.assertCommitted();
      return published;
    });
  }

  /** Publishes the next items and records the import, within a transaction. */
  #publishSome(digest: string | undefined, position: number, count: number): Published {
    const { table } = this.#kind;
    const earlier = digest === undefined ? undefined : findImport(this.#database, digest);
    const from = Math.max(position, earlier?.done ?? 0);
    const done = Math.min(from + count, this.#count);
    const lastBefore = lastIdOf(this.#database, table);
    this.#copy(from, done, lastBefore);
    const lastId = lastIdOf(this.#database, table);
    const firstId = earlier?.firstId ?? this.#firstIdAfter(lastBefore);
    if (done > from && this.#log.isRecording()) {
      this.#kind.record(this.#database, this.#log, lastBefore + 1n, lastId, this.#place.clock());
    }
    if (digest !== undefined) {
      const finishedAt = this.#place.clock();
      keepImport(this.#database, { digest, done, total: this.#count, firstId, lastId, finishedAt });
    }
    return { count: done, firstId, lastId };
  }

  #copy(from: number, to: number, lastBefore: bigint): void {
    if (from >= to) return;
    if (this.#withIds) {
      const first = this.#database
        .query<{ id: bigint }, [number]>("SELECT id FROM staged WHERE position > ? ORDER BY position LIMIT 1")
        .get(from);
      if (first && first.id <= lastBefore) throw new IdsTaken(lastBefore);
    }
    const { table, needlessTrigger } = this.#kind;
    const columns = namesOf(this.#withIds ? this.#columns : this.#kind.columns);
    const insert = this.#database.query(
      `INSERT INTO ${table} (${columns})
       SELECT ${columns} FROM staged WHERE position > ? AND position <= ? ORDER BY position`,
    );
    const work = () => void insert.run(from, to);
    if (needlessTrigger === undefined) work();
    else withoutTrigger(this.#database, needlessTrigger, work);
  }

  #firstIdAfter(id: bigint): bigint {
    const row = this.#database
      .query<{ id: bigint }, [bigint]>(`SELECT id FROM ${this.#kind.table} WHERE id > ? ORDER BY id LIMIT 1`)
      .get(id);
    return row?.id ?? id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.run("DROP TABLE staged");
  }
}
