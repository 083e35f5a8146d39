import type { Database } from "bun:sqlite";
import type { Animal } from "../../../domain/animal.ts";
import type { Order } from "../../../domain/order.ts";
import type { IdempotencyRecord, Snapshot, StoreMetadata } from "../../../domain/transfer.ts";
import { type OrderRow, orderOf } from "../../order-row.ts";
import { storedKeys } from "../api-keys.ts";
import { attempt } from "../connection.ts";
import { feedStatus } from "../feed.ts";
import { ORDER_COLUMNS } from "../orders.ts";
import { lastIdOf } from "../sequence.ts";
import { listCorrections } from "./corrections.ts";
import { listImports } from "./imports.ts";

const CHUNK = 5000;

/** A read transaction: it sees the store as it was when it began, and in WAL mode no writer waits for it. */
export class SqliteSnapshot implements Snapshot {
  readonly count: number;
  readonly orderCount: number;
  readonly #database: Database;

  /** @param database a connection of its own, closed with the snapshot */
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

  async *animals(after = 0n): AsyncGenerator<readonly Animal[]> {
    const query = this.#database.query<Animal, [bigint, number]>(
      "SELECT id, name, category_id AS categoryId, status FROM animal WHERE id > ? ORDER BY id LIMIT ?",
    );
    let last = after;
    let chunk: Animal[];
    do {
      chunk = this.#attempt(() => query.all(last, CHUNK));
      if (chunk.length > 0) yield chunk;
      last = chunk.at(-1)?.id ?? last;
    } while (chunk.length === CHUNK);
  }

  async *orders(): AsyncGenerator<readonly Order[]> {
    const query = this.#database.query<OrderRow, [bigint, number]>(
      `SELECT ${ORDER_COLUMNS} FROM store_order WHERE id > ? ORDER BY id LIMIT ?`,
    );
    let last = 0n;
    let chunk: OrderRow[];
    do {
      chunk = this.#attempt(() => query.all(last, CHUNK));
      if (chunk.length > 0) yield chunk.map(orderOf);
      last = chunk.at(-1)?.id ?? last;
    } while (chunk.length === CHUNK);
  }

  async rewrites(): Promise<bigint> {
    const query = this.#database.query<{ rewrites: bigint }, []>("SELECT rewrites FROM revision");
    return this.#attempt(() => query.get())?.rewrites ?? 0n;
  }

  async *idempotencyRecords(since: number): AsyncGenerator<readonly IdempotencyRecord[]> {
    const query = this.#database.query<RecordRow, [number, bigint, string, number]>(
      `SELECT line, key, digest, animal_id AS animalId, order_id AS orderId, created_at AS createdAt FROM idempotency_key
       WHERE created_at > ? AND (line, key) > (?, ?) ORDER BY line, key LIMIT ?`,
    );
    let last: Pick<RecordRow, "line" | "key"> = { line: 0n, key: "" };
    let chunk: RecordRow[];
    do {
      chunk = this.#attempt(() => query.all(since, last.line, last.key, CHUNK));
      if (chunk.length > 0) yield chunk.map(recordOf);
      last = chunk.at(-1) ?? last;
    } while (chunk.length === CHUNK);
  }

  async metadata(): Promise<StoreMetadata> {
    const database = this.#database;
    return this.#attempt(() => ({
      lastAnimalId: lastIdOf(database, "animal"),
      lastOrderId: lastIdOf(database, "store_order"),
      newestEventId: feedStatus(database).newestId,
      recordsEvents: feedStatus(database).recording,
      lastKeyId: Number(lastIdOf(database, "api_key")),
      keys: storedKeys(database),
      imports: listImports(database),
      corrections: listCorrections(database),
      cursorSecret: database
        .query<{ value: Uint8Array }, []>("SELECT value FROM secret WHERE name = 'cursor'")
        .get()?.value,
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  #attempt<Result>(work: () => Result): Result {
    return attempt(this.#database, work);
  }
}

interface RecordRow extends Omit<IdempotencyRecord, "line" | "createdAt"> {
  readonly line: bigint;
  readonly createdAt: bigint;
}

function recordOf(row: RecordRow): IdempotencyRecord {
  return { ...row, line: Number(row.line), createdAt: Number(row.createdAt) };
}
