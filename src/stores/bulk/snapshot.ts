import type { Animal } from "../../domain/animal.ts";
import type { Order } from "../../domain/order.ts";
import type { IdempotencyRecord, Snapshot, StoredKey } from "../../domain/transfer.ts";
import type { RowOf } from "../table.ts";
import { ANIMAL, IDEMPOTENCY_RECORD, ORDER, STORED_KEY } from "../tables.ts";
import type { BulkDatabase } from "./bulk-database.ts";
import { listCorrections } from "./corrections.ts";
import { listImports } from "./imports.ts";
import { readInChunks } from "./read-in-chunks.ts";

/** @param database a snapshot's connection, which the result closes */
export async function snapshotOf(database: BulkDatabase): Promise<Snapshot> {
  const { rows, ids, schema, byteOrder } = database;
  const one = async <Row>(text: string) => (await rows<Row>(text))[0];
  const animals = `SELECT ${ANIMAL.selection} FROM ${schema}animal WHERE id > $1 ORDER BY id LIMIT $2`;
  const orders = `SELECT ${ORDER.selection} FROM ${schema}store_order WHERE id > $1 ORDER BY id LIMIT $2`;
  const records = `
    SELECT ${IDEMPOTENCY_RECORD.selection} FROM ${schema}idempotency_key
     WHERE created_at > CAST($1 AS bigint) AND (line, key ${byteOrder}) > (CAST($2 AS bigint), $3)
     ORDER BY line, key ${byteOrder} LIMIT $4`;
  const counts = await one<{ animals: bigint; orders: bigint }>(
    `SELECT (SELECT count(*) FROM ${schema}animal) AS animals, (SELECT count(*) FROM ${schema}store_order) AS orders`,
  );
  return {
    count: Number(counts?.animals),
    orderCount: Number(counts?.orders),
    animals: (after = 0n) =>
      readInChunks<Animal>(async (last, limit) =>
        ANIMAL.parseAll(await rows<object>(animals, [last?.id ?? after, limit])),
      ),
    orders: () =>
      readInChunks<Order>(async (last, limit) =>
        (await rows<RowOf<Order>>(orders, [last?.id ?? 0n, limit])).map(ORDER.parse),
      ),
    rewrites: async () => (await one<{ number: bigint }>(database.rewrites))?.number ?? 0n,
    idempotencyRecords: (since) =>
      readInChunks<IdempotencyRecord>(async (last, limit) => {
        const parameters = [since, last?.line ?? 0, last?.key ?? "", limit];
        return (await rows<RowOf<IdempotencyRecord>>(records, parameters)).map(IDEMPOTENCY_RECORD.parse);
      }),
    async metadata() {
      const feed = await database.feed.status();
      const keys = `SELECT ${STORED_KEY.selection} FROM ${schema}api_key ORDER BY id`;
      const secret = `SELECT value FROM ${schema}secret WHERE name = 'cursor'`;
      return {
        newestEventId: feed.newestId,
        recordsEvents: feed.recording,
        lastAnimalId: await ids.last("animal"),
        lastOrderId: await ids.last("store_order"),
        lastKeyId: Number(await ids.last("api_key")),
        keys: (await rows<RowOf<StoredKey>>(keys)).map(STORED_KEY.parse),
        imports: await listImports(database),
        corrections: await listCorrections(database),
        cursorSecret: (await one<{ value: Uint8Array }>(secret))?.value,
      };
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}
