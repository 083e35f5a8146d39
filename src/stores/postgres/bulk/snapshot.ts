import type { Animal } from "../../../domain/animal.ts";
import type { Order } from "../../../domain/order.ts";
import type { IdempotencyRecord, Snapshot, StoredKey, StoreMetadata } from "../../../domain/transfer.ts";
import { type OrderRow, orderOf } from "../../order-row.ts";
import { type KeyRow, keyOf } from "../api-keys.ts";
import { ORDER_COLUMNS } from "../orders.ts";
import { listCorrections } from "./corrections.ts";
import { feedStatus } from "./events.ts";
import { listImports } from "./imports.ts";
import type { BulkSession } from "./session.ts";

const CHUNK = 5000;

const ORDERS = `SELECT ${ORDER_COLUMNS} FROM animal_store.store_order WHERE id > $1 ORDER BY id LIMIT $2`;

/** A read-only transaction that sees the store as it was when it began. */
export class PostgresSnapshot implements Snapshot {
  readonly count: number;
  readonly orderCount: number;
  readonly #session: BulkSession;

  private constructor(session: BulkSession, count: number, orderCount: number) {
    this.#session = session;
    this.count = count;
    this.orderCount = orderCount;
  }

  /** @param session of its own, closed with the snapshot */
  static async begin(session: BulkSession): Promise<PostgresSnapshot> {
    await session.run((sql) => sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"));
    const [row] = await session.run<{ animals: bigint; orders: bigint }[]>(
      (sql) => sql`SELECT (SELECT count(*) FROM animal_store.animal) AS animals,
                          (SELECT count(*) FROM animal_store.store_order) AS orders`,
    );
    return new PostgresSnapshot(session, Number(row?.animals), Number(row?.orders));
  }

  async *animals(after = 0n): AsyncGenerator<readonly Animal[]> {
    let last = after;
    let chunk: Animal[];
    do {
      chunk = await this.#session.run<Animal[]>(
        (sql) => sql`SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal
                      WHERE id > ${last} ORDER BY id LIMIT ${CHUNK}`,
      );
      if (chunk.length > 0) yield chunk;
      last = chunk.at(-1)?.id ?? last;
    } while (chunk.length === CHUNK);
  }

  async *orders(): AsyncGenerator<readonly Order[]> {
    let last = 0n;
    let chunk: OrderRow[];
    do {
      chunk = await this.#session.run<OrderRow[]>((sql) => sql.unsafe(ORDERS, [last, CHUNK]));
      if (chunk.length > 0) yield chunk.map(orderOf);
      last = chunk.at(-1)?.id ?? last;
    } while (chunk.length === CHUNK);
  }

  async rewrites(): Promise<bigint> {
    const [newest] = await this.#session.run<{ number: bigint }[]>(
      (sql) => sql`SELECT number FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1`,
    );
    return newest?.number ?? 0n;
  }

  async *idempotencyRecords(since: number): AsyncGenerator<readonly IdempotencyRecord[]> {
    let last = { line: 0n, key: "" };
    let chunk: RecordRow[];
    do {
      chunk = await this.#session.run<RecordRow[]>(
        (sql) => sql`
          SELECT line, key, digest, animal_id AS "animalId", order_id AS "orderId", created_at AS "createdAt"
            FROM animal_store.idempotency_key
           WHERE created_at > ${since}::bigint AND (line, key COLLATE "C") > (${last.line}::bigint, ${last.key})
           ORDER BY line, key COLLATE "C" LIMIT ${CHUNK}`,
      );
      if (chunk.length > 0) yield chunk.map(recordOf);
      last = chunk.at(-1) ?? last;
    } while (chunk.length === CHUNK);
  }

  async metadata(): Promise<StoreMetadata> {
    const session = this.#session;
    const [last] = await session.run<{ animal: bigint; order: bigint; key: bigint }[]>(
      (sql) => sql`SELECT
        (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM animal_store.animal_id_seq) AS animal,
        (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM animal_store.store_order_id_seq) AS "order",
        (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM animal_store.api_key_id_seq) AS key`,
    );
    const keys = await session.run<(KeyRow & { hash: Uint8Array })[]>(
      (sql) => sql`SELECT * FROM animal_store.api_key ORDER BY id`,
    );
    const [secret] = await session.run<{ value: Uint8Array }[]>(
      (sql) => sql`SELECT value FROM animal_store.secret WHERE name = 'cursor'`,
    );
    const feed = await feedStatus(session);
    return {
      newestEventId: feed.newestId,
      recordsEvents: feed.recording,
      lastAnimalId: last?.animal ?? 0n,
      lastOrderId: last?.order ?? 0n,
      lastKeyId: Number(last?.key),
      keys: keys.map((row): StoredKey => ({ ...keyOf(row), hash: row.hash })),
      imports: await listImports(session),
      corrections: await listCorrections(session),
      cursorSecret: secret?.value,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.close();
  }
}

interface RecordRow extends Omit<IdempotencyRecord, "line" | "createdAt"> {
  readonly line: bigint;
  readonly createdAt: bigint;
}

function recordOf(row: RecordRow): IdempotencyRecord {
  return { ...row, line: Number(row.line), createdAt: Number(row.createdAt) };
}
