import type { Animal } from "../../../domain/animal.ts";
import type { Order } from "../../../domain/order.ts";
import type { IdempotencyRecord, Snapshot } from "../../../domain/transfer.ts";
import { IDEMPOTENCY_COLUMNS, type IdempotencyRow, idempotencyRecordOf } from "../../idempotency-row.ts";
import { KEY_COLUMNS, type KeyRow, keyOf } from "../../key-row.ts";
import { ORDER_COLUMNS, type OrderRow, orderOf } from "../../order-row.ts";
import { readInChunks } from "../../read-in-chunks.ts";
import { listCorrections } from "./corrections.ts";
import { feedStatus } from "./events.ts";
import { listImports } from "./imports.ts";
import type { BulkSession } from "./session.ts";

const COUNTS = `
  SELECT (SELECT count(*) FROM animal_store.animal) AS animals,
         (SELECT count(*) FROM animal_store.store_order) AS orders`;

const ANIMALS = `
  SELECT id, name, category_id AS "categoryId", status FROM animal_store.animal WHERE id > $1 ORDER BY id LIMIT $2`;

const ORDERS = `SELECT ${ORDER_COLUMNS} FROM animal_store.store_order WHERE id > $1 ORDER BY id LIMIT $2`;

const RECORDS = `
  SELECT ${IDEMPOTENCY_COLUMNS} FROM animal_store.idempotency_key
   WHERE created_at > $1::bigint AND (line, key COLLATE "C") > ($2::bigint, $3)
   ORDER BY line, key COLLATE "C" LIMIT $4`;

const REWRITES = "SELECT number FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1";

const KEYS = `SELECT hash, ${KEY_COLUMNS} FROM animal_store.api_key ORDER BY id`;

const SECRET = "SELECT value FROM animal_store.secret WHERE name = 'cursor'";

const LAST_IDS = `SELECT ${["animal", "store_order", "api_key"]
  .map(
    (table) =>
      `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM animal_store.${table}_id_seq) AS ${table}`,
  )
  .join(", ")}`;

/**
 * Begins a read-only transaction, which sees the store as it is now.
 *
 * @param session belongs to the snapshot, which closes it
 */
export async function beginSnapshot(session: BulkSession): Promise<Snapshot> {
  const rows = <Row>(text: string, parameters: unknown[] = []): Promise<Row[]> =>
    session.run<Row[]>((sql) => sql.unsafe(text, parameters));
  await rows("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  const [counts] = await rows<{ animals: bigint; orders: bigint }>(COUNTS);
  return {
    count: Number(counts?.animals),
    orderCount: Number(counts?.orders),
    animals: (after = 0n) => readInChunks<Animal>((last, limit) => rows(ANIMALS, [last?.id ?? after, limit])),
    orders: () =>
      readInChunks<Order>(async (last, limit) =>
        (await rows<OrderRow>(ORDERS, [last?.id ?? 0n, limit])).map(orderOf),
      ),
    async rewrites() {
      const [newest] = await rows<{ number: bigint }>(REWRITES);
      return newest?.number ?? 0n;
    },
    idempotencyRecords: (since) =>
      readInChunks<IdempotencyRecord>(async (last, limit) => {
        const parameters = [since, last?.line ?? 0, last?.key ?? "", limit];
        return (await rows<IdempotencyRow>(RECORDS, parameters)).map(idempotencyRecordOf);
      }),
    async metadata() {
      const [last] = await rows<{ animal: bigint; store_order: bigint; api_key: bigint }>(LAST_IDS);
      const keys = await rows<KeyRow & { hash: Uint8Array }>(KEYS);
      const [secret] = await rows<{ value: Uint8Array }>(SECRET);
      const feed = await feedStatus(session);
      return {
        newestEventId: feed.newestId,
        recordsEvents: feed.recording,
        lastAnimalId: last?.animal ?? 0n,
        lastOrderId: last?.store_order ?? 0n,
        lastKeyId: Number(last?.api_key),
        keys: keys.map((row) => ({ ...keyOf(row), hash: row.hash })),
        imports: await listImports(session),
        corrections: await listCorrections(session),
        cursorSecret: secret?.value,
      };
    },
    [Symbol.asyncDispose]: () => session.close(),
  };
}
