import type { Database, Statement } from "bun:sqlite";
import { dirname, resolve } from "node:path";
import type { EventSink } from "../../../domain/event.ts";
import {
  IdsTaken,
  type IncomingAnimal,
  type Publication,
  type Published,
  type Staging,
} from "../../../domain/transfer.ts";
import { publishInBatches } from "../../publish-in-batches.ts";
import { attempt } from "../connection.ts";
import type { OpenedFiles } from "../opened-files.ts";
import { lastIdOf } from "../sequence.ts";
import { withoutTrigger } from "../without-trigger.ts";
import { changeInTurn } from "../write-turn.ts";
import { findImport, keepImport } from "./imports.ts";

const CACHE_KIB = 64 * 1024;

type Row = [bigint | null, string, bigint, string];

/**
 * Animals in a temporary table. SQLite keeps it in a file without a name beside the store, which the
 * system takes away with this process however it ends. Publishing copies from there within SQLite: the
 * store is locked for that alone, not for the reading and checking before.
 */
export class SqliteStaging implements Staging {
  readonly unnoticed = 50_000;
  readonly #database: Database;
  readonly #files: OpenedFiles;
  readonly #clock: () => number;
  readonly #emit: EventSink;
  readonly #insert: Statement<unknown, Row>;
  #count = 0;
  #withIds = false;

  /** @param emit told where publishing waits for its turn */
  constructor(database: Database, file: string, files: OpenedFiles, clock: () => number, emit: EventSink) {
    this.#database = database;
    this.#files = files;
    this.#clock = clock;
    this.#emit = emit;
    // The disk of the store has room for its animals; that of /tmp may be small.
    database.run("PRAGMA temp_store = FILE");
    database.run(`PRAGMA temp_store_directory = '${dirname(resolve(file)).replaceAll("'", "''")}'`);
    database.run(`PRAGMA cache_size = ${-CACHE_KIB}`);
    database.run(
      "CREATE TEMP TABLE staged (position INTEGER PRIMARY KEY, id INTEGER, name TEXT, category_id INTEGER, status TEXT)",
    );
    this.#insert = database.prepare("INSERT INTO staged (id, name, category_id, status) VALUES (?, ?, ?, ?)");
  }

  async add(animals: readonly IncomingAnimal[]): Promise<void> {
    attempt(this.#database, () =>
      this.#database.transaction(() => {
        for (const { id, name, categoryId, status } of animals) {
          this.#insert.run(id ?? null, name, categoryId, status);
        }
      })(),
    );
    this.#count += animals.length;
    this.#withIds ||= animals.some(({ id }) => id !== undefined);
  }

  publish({ digest, commitEvery, onProgress }: Publication): Promise<Published> {
    return publishInBatches(this.#count, onProgress, async (done) => {
      const work = () => this.#publishSome(digest, done, commitEvery);
      const published = await changeInTurn(this.#database, work, this.#emit);
      this.#files.assertCommitted();
      return published;
    });
  }

  /** Within a transaction: publishes what comes next, and keeps a record of it. */
  #publishSome(digest: string | undefined, position: number, count: number): Published {
    const earlier = digest === undefined ? undefined : findImport(this.#database, digest);
    const from = Math.max(position, earlier?.done ?? 0);
    const done = Math.min(from + count, this.#count);
    const lastBefore = lastIdOf(this.#database, "animal");
    this.#copy(from, done, lastBefore);
    const lastId = lastIdOf(this.#database, "animal");
    const firstId = earlier?.firstId ?? this.#firstIdAfter(lastBefore);
    if (digest !== undefined) {
      const finishedAt = this.#clock();
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
    const id = this.#withIds ? "id, " : "";
    const insert = this.#database.query(
      `INSERT INTO animal (${id}name, category_id, status)
       SELECT ${id}name, category_id, status FROM staged WHERE position > ? AND position <= ? ORDER BY position`,
    );
    withoutTrigger(this.#database, "animal_inserted", () => insert.run(from, to));
  }

  #firstIdAfter(id: bigint): bigint {
    const row = this.#database
      .query<{ id: bigint }, [bigint]>("SELECT id FROM animal WHERE id > ? ORDER BY id LIMIT 1")
      .get(id);
    return row?.id ?? id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#insert.finalize();
    this.#database.run("DROP TABLE staged");
  }
}
