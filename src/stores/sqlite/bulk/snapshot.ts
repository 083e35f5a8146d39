import type { Database } from "bun:sqlite";
import type { Animal } from "../../../domain/animal.ts";
import type { Order } from "../../../domain/order.ts";
import type { IdempotencyRecord, Snapshot, StoreMetadata } from "../../../domain/transfer.ts";
import { IDEMPOTENCY_COLUMNS, type IdempotencyRow, idempotencyRecordOf } from "../../idempotency-row.ts";
import { ORDER_COLUMNS, type OrderRow, orderOf } from "../../order-row.ts";
import { readInChunks } from "../../read-in-chunks.ts";
import { storedKeys } from "../api-keys.ts";
import { attempt } from "../connection.ts";
import { findCursorSecret } from "../cursor-secret.ts";
import { feedStatus } from "../feed.ts";
import { lastIdOf } from "../sequence.ts";
import { listCorrections } from "./corrections.ts";
import { listImports } from "./imports.ts";

/** A read transaction: it sees the store as it was when it began. In WAL mode it blocks no writer. */
export class SqliteSnapshot implements Snapshot {
  readonly count: number;
  readonly orderCount: number;
  readonly #database: Database;

  /** @param database a connection that belongs to the snapshot, which closes it */
  constructor(database: Database) {
    this.#database = database;
    database.run("BEGIN");
    const row = database
      .query<{ animals: bigint; orders: bigint }, []>(
        "SELECT (SELECT count(*) FROM animal) AS animals, (SELECT count(*) FROM store_order) AS orders",
      )
      .get();
    this.count = Number(row?.animals);
    this.orderCount = Number(row?.orders);
  }

  animals(after = 0n): AsyncIterable<readonly Animal[]> {
    const query = this.#database.query<Animal, [bigint, number]>(
      "SELECT id, name, category_id AS categoryId, status FROM animal WHERE id > ? ORDER BY id LIMIT ?",
    );
    return readInChunks<Animal>((last, limit) => this.#attempt(() => query.all(last?.id ?? after, limit)));
  }

  orders(): AsyncIterable<readonly Order[]> {
    const query = this.#database.query<OrderRow, [bigint, number]>(
      `SELECT ${ORDER_COLUMNS} FROM store_order WHERE id > ? ORDER BY id LIMIT ?`,
    );
    return readInChunks<Order>((last, limit) =>
      this.#attempt(() => query.all(last?.id ?? 0n, limit)).map(orderOf),
    );
  }

  async rewrites(): Promise<bigint> {
    const query = this.#database.query<{ rewrites: bigint }, []>("SELECT rewrites FROM revision");
    return this.#attempt(() => query.get())?.rewrites ?? 0n;
  }

  idempotencyRecords(since: number): AsyncIterable<readonly IdempotencyRecord[]> {
    const query = this.#database.query<IdempotencyRow, [number, number, string, number]>(
      `SELECT ${IDEMPOTENCY_COLUMNS} FROM idempotency_key
       WHERE created_at > ? AND (line, key) > (?, ?) ORDER BY line, key LIMIT ?`,
    );
    return readInChunks<IdempotencyRecord>((last, limit) =>
      this.#attempt(() => query.all(since, last?.line ?? 0, last?.key ?? "", limit)).map(idempotencyRecordOf),
    );
  }

  async metadata(): Promise<StoreMetadata> {
    const database = this.#database;
    return this.#attempt(() => {
      const { newestId, recording } = feedStatus(database);
      return {
        lastAnimalId: lastIdOf(database, "animal"),
        lastOrderId: lastIdOf(database, "store_order"),
        newestEventId: newestId,
        recordsEvents: recording,
        lastKeyId: Number(lastIdOf(database, "api_key")),
        keys: storedKeys(database),
        imports: listImports(database),
        corrections: listCorrections(database),
        cursorSecret: findCursorSecret(database),
      };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  #attempt<Result>(work: () => Result): Result {
    return attempt(this.#database, work);
  }
}
