import type { Animal } from "../../domain/animal.ts";
import type { Order } from "../../domain/order.ts";
import type { IdempotencyRecord, Snapshot } from "../../domain/transfer.ts";
import { KEY_COLUMNS, type KeyRow, keyOf } from "../key-row.ts";
import { ORDER_COLUMNS, type OrderRow, orderOf } from "../order-row.ts";
import type { BulkDatabase } from "./bulk-database.ts";
import { listCorrections } from "./corrections.ts";
import { IDEMPOTENCY_COLUMNS, type IdempotencyRow, idempotencyRecordOf } from "./idempotency-row.ts";
import { listImports } from "./imports.ts";
import { readInChunks } from "./read-in-chunks.ts";

/** @param database a snapshot's connection, which the result closes */
export async function snapshotOf(database: BulkDatabase): Promise<Snapshot> {
  const { rows, ids, schema, byteOrder } = database;
  const one = async <Row>(text: string) => (await rows<Row>(text))[0];
  const animals = `
    SELECT id, name, category_id AS "categoryId", status FROM ${schema}animal WHERE id > $1 ORDER BY id LIMIT $2`;
  const orders = `SELECT ${ORDER_COLUMNS} FROM ${schema}store_order WHERE id > $1 ORDER BY id LIMIT $2`;
  const records = `
    SELECT ${IDEMPOTENCY_COLUMNS} FROM ${schema}idempotency_key
     WHERE created_at > CAST($1 AS bigint) AND (line, key ${byteOrder}) > (CAST($2 AS bigint), $3)
     ORDER BY line, key ${byteOrder} LIMIT $4`;
  const counts = await one<{ animals: bigint; orders: bigint }>(
    `SELECT (SELECT count(*) FROM ${schema}animal) AS animals, (SELECT count(*) FROM ${schema}store_order) AS orders`,
  );
  return {
    count: Number(counts?.animals),
    orderCount: Number(counts?.orders),
    animals: (after = 0n) => readInChunks<Animal>((last, limit) => rows(animals, [last?.id ?? after, limit])),
    orders: () =>
      readInChunks<Order>(async (last, limit) =>
        (await rows<OrderRow>(orders, [last?.id ?? 0n, limit])).map(orderOf),
      ),
    rewrites: async () => (await one<{ number: bigint }>(database.rewrites))?.number ?? 0n,
    idempotencyRecords: (since) =>
      readInChunks<IdempotencyRecord>(async (last, limit) => {
        const parameters = [since, last?.line ?? 0, last?.key ?? "", limit];
        return (await rows<IdempotencyRow>(records, parameters)).map(idempotencyRecordOf);
      }),
    async metadata() {
      const feed = await database.feed.status();
      const keys = `SELECT hash, ${KEY_COLUMNS} FROM ${schema}api_key ORDER BY id`;
      const secret = `SELECT value FROM ${schema}secret WHERE name = 'cursor'`;
      return {
        newestEventId: feed.newestId,
        recordsEvents: feed.recording,
        lastAnimalId: await ids.last("animal"),
        lastOrderId: await ids.last("store_order"),
        lastKeyId: Number(await ids.last("api_key")),
        keys: (await rows<KeyRow & { hash: Uint8Array }>(keys)).map((row) => ({
          ...keyOf(row),
          hash: row.hash,
        })),
        imports: await listImports(database),
        corrections: await listCorrections(database),
        cursorSecret: (await one<{ value: Uint8Array }>(secret))?.value,
      };
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}
