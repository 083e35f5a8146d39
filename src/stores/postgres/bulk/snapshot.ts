import type { Animal } from "../../../domain/animal.ts";
import type { Order } from "../../../domain/order.ts";
import type { IdempotencyRecord, Snapshot, StoreMetadata } from "../../../domain/transfer.ts";
import { IDEMPOTENCY_COLUMNS, type IdempotencyRow, idempotencyRecordOf } from "../../idempotency-row.ts";
import { KEY_COLUMNS, type KeyRow, keyOf } from "../../key-row.ts";
import { ORDER_COLUMNS, type OrderRow, orderOf } from "../../order-row.ts";
import { readInChunks } from "../../read-in-chunks.ts";
import { listCorrections } from "./corrections.ts";
import { feedStatus } from "./events.ts";
import { listImports } from "./imports.ts";
import type { BulkSession } from "./session.ts";

const ANIMALS = `
  SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal WHERE id > $1 ORDER BY id LIMIT $2`;

const ORDERS = `SELECT ${ORDER_COLUMNS} FROM animal_store.store_order WHERE id > $1 ORDER BY id LIMIT $2`;

const RECORDS = `
  SELECT ${IDEMPOTENCY_COLUMNS} FROM animal_store.idempotency_key
   WHERE created_at > $1::bigint AND (line, key COLLATE "C") > ($2::bigint, $3)
   ORDER BY line, key COLLATE "C" LIMIT $4`;

const LAST_IDS = `SELECT ${["animal", "store_order", "api_key"]
  .map(
    (table) =>
      `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM animal_store.${table}_id_seq) AS ${table}`,
  )
  .join(", ")}`;

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

  /** @param session belongs to the snapshot, which closes it */
  static async begin(session: BulkSession): Promise<PostgresSnapshot> {
    await session.run((sql) => sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"));
    const [row] = await session.run<{ animals: bigint; orders: bigint }[]>(
      (sql) => sql`SELECT (SELECT count(*) FROM animal_store.animal) AS animals,
                          (SELECT count(*) FROM animal_store.store_order) AS orders`,
    );
    return new PostgresSnapshot(session, Number(row?.animals), Number(row?.orders));
  }

  animals(after = 0n): AsyncIterable<readonly Animal[]> {
    return readInChunks<Animal>((last, limit) => this.#rows(ANIMALS, [last?.id ?? after, limit]));
  }

  orders(): AsyncIterable<readonly Order[]> {
    return readInChunks<Order>(async (last, limit) =>
      (await this.#rows<OrderRow>(ORDERS, [last?.id ?? 0n, limit])).map(orderOf),
    );
  }

  async rewrites(): Promise<bigint> {
    const [newest] = await this.#rows<{ number: bigint }>(
      "SELECT number FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1",
    );
    return newest?.number ?? 0n;
  }

  idempotencyRecords(since: number): AsyncIterable<readonly IdempotencyRecord[]> {
    return readInChunks<IdempotencyRecord>(async (last, limit) => {
      const parameters = [since, last?.line ?? 0, last?.key ?? "", limit];
      return (await this.#rows<IdempotencyRow>(RECORDS, parameters)).map(idempotencyRecordOf);
    });
  }

  async metadata(): Promise<StoreMetadata> {
    const [last] = await this.#rows<{ animal: bigint; store_order: bigint; api_key: bigint }>(LAST_IDS);
    const keys = await this.#rows<KeyRow & { hash: Uint8Array }>(
      `SELECT hash, ${KEY_COLUMNS} FROM animal_store.api_key ORDER BY id`,
    );
    const [secret] = await this.#rows<{ value: Uint8Array }>(
      "SELECT value FROM animal_store.secret WHERE name = 'cursor'",
    );
    const feed = await feedStatus(this.#session);
    return {
      newestEventId: feed.newestId,
      recordsEvents: feed.recording,
      lastAnimalId: last?.animal ?? 0n,
      lastOrderId: last?.store_order ?? 0n,
      lastKeyId: Number(last?.api_key),
      keys: keys.map((row) => ({ ...keyOf(row), hash: row.hash })),
      imports: await listImports(this.#session),
      corrections: await listCorrections(this.#session),
      cursorSecret: secret?.value,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.close();
  }

  #rows<Row>(text: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.#session.run<Row[]>((sql) => sql.unsafe(text, parameters));
  }
}
