import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
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
import { addAgreeingOrders } from "./orders.ts";

const CACHE_KIB = 64 * 1024;

/** Items of one kind: the table that they are for, and what is special about them. */
export interface StagedKind<Item> {
  readonly table: "animal" | "store_order";
  /** Of the table, without the id. */
  readonly columns: readonly string[];
  values(item: Item): SQLQueryBindings[];
  /** What looks for staged items needs, after the temporary table `staged` is there. */
  readonly setUp?: string;
  /** Finds the items that contradict the store or those staged before. */
  findProblems?(database: Database, items: readonly Item[]): RowProblem[];
  /** Reports in the feed what was published, if changes are recorded. */
  record(database: Database, log: EventLog, firstId: bigint, lastId: bigint, at: number): void;
  /** A trigger that has nothing to say about published items. */
  readonly needlessTrigger?: string;
}

/** The store that items are staged beside. */
interface StagingPlace {
  readonly database: Database;
  readonly file: string;
  readonly files: OpenedFiles;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Told where publishing waits for its turn. */
  readonly emit: EventSink;
}

/**
 * Items in a temporary table. SQLite keeps it in a file without a name beside the store, which the system takes away
 * with this process however it ends. Publishing copies from there within SQLite: the store is locked for that alone,
 * not for the reading and checking before.
 */
export class SqliteStaging<Item extends { readonly id?: bigint }> implements Staging<Item> {
  readonly smallBatch = 50_000;
  readonly #kind: StagedKind<Item>;
  readonly #place: StagingPlace;
  readonly #database: Database;
  readonly #insert: Statement<unknown, SQLQueryBindings[]>;
  readonly #log: EventLog;
  #count = 0;
  #withIds = false;

  constructor(kind: StagedKind<Item>, place: StagingPlace) {
    const { database, file } = place;
    this.#kind = kind;
    this.#place = place;
    this.#database = database;
    // The disk of the store has room for its animals; that of /tmp may be small.
    database.run("PRAGMA temp_store = FILE");
    database.run(`PRAGMA temp_store_directory = '${dirname(resolve(file)).replaceAll("'", "''")}'`);
    database.run(`PRAGMA cache_size = ${-CACHE_KIB}`);
    const columns = ["id", ...kind.columns].join(", ");
    database.run(`CREATE TEMP TABLE staged (position INTEGER PRIMARY KEY, ${columns})`);
    if (kind.setUp !== undefined) database.run(kind.setUp);
    const values = Array(kind.columns.length + 1).fill("?");
    this.#log = new EventLog(database);
    this.#insert = database.prepare(`INSERT INTO staged (${columns}) VALUES (${values.join(", ")})`);
  }

  async add(items: readonly Item[]): Promise<readonly RowProblem[]> {
    return attempt(this.#database, () => {
      const problems = this.#kind.findProblems?.(this.#database, items) ?? [];
      const bad = new Set(problems.map(({ index }) => index));
      const good = bad.size === 0 ? items : items.filter((_, index) => !bad.has(index));
      this.#database.transaction(() => {
        for (const item of good) this.#insert.run(item.id ?? null, ...this.#kind.values(item));
      })();
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

  /** Within a transaction: publishes what comes next, and keeps a record of it. */
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
    const columns = [...(this.#withIds ? ["id"] : []), ...this.#kind.columns].join(", ");
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
    this.#insert.finalize();
    this.#database.run("DROP TABLE staged");
  }
}
