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

/**
 * Begins a read transaction, which sees the store as it is now. In WAL mode it blocks no writer.
 *
 * @param database a connection that belongs to the snapshot, which closes it
 */
export function beginSnapshot(database: Database): Snapshot {
  database.run("BEGIN");
  const counts = database
    .query<{ animals: bigint; orders: bigint }, []>(
      "SELECT (SELECT count(*) FROM animal) AS animals, (SELECT count(*) FROM store_order) AS orders",
    )
    .get();
  const read = <Result>(work: () => Result): Result => attempt(database, work);
  return {
    count: Number(counts?.animals),
    orderCount: Number(counts?.orders),
    animals(after = 0n) {
      const query = database.query<Animal, [bigint, number]>(
        "SELECT id, name, category_id AS categoryId, status FROM animal WHERE id > ? ORDER BY id LIMIT ?",
      );
      return readInChunks<Animal>((last, limit) => read(() => query.all(last?.id ?? after, limit)));
    },
    orders() {
      const query = database.query<OrderRow, [bigint, number]>(
        `SELECT ${ORDER_COLUMNS} FROM store_order WHERE id > ? ORDER BY id LIMIT ?`,
      );
      return readInChunks<Order>((last, limit) => read(() => query.all(last?.id ?? 0n, limit)).map(orderOf));
    },
    async rewrites() {
      const query = database.query<{ rewrites: bigint }, []>("SELECT rewrites FROM revision");
      return read(() => query.get())?.rewrites ?? 0n;
    },
    idempotencyRecords(since) {
      const query = database.query<IdempotencyRow, [number, number, string, number]>(
        `SELECT ${IDEMPOTENCY_COLUMNS} FROM idempotency_key
         WHERE created_at > ? AND (line, key) > (?, ?) ORDER BY line, key LIMIT ?`,
      );
      return readInChunks<IdempotencyRecord>((last, limit) =>
        read(() => query.all(since, last?.line ?? 0, last?.key ?? "", limit)).map(idempotencyRecordOf),
      );
    },
    metadata: async () => read(() => metadataOf(database)),
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

function metadataOf(database: Database): StoreMetadata {
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
}
