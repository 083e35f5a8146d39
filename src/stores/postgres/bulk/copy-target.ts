import type { Animal } from "../../../domain/animal.ts";
import type { Order } from "../../../domain/order.ts";
import {
  type CopyTarget,
  type IdempotencyRecord,
  NotEmpty,
  type StoredKey,
  type StoreMetadata,
} from "../../../domain/transfer.ts";
import { NEW_ANIMAL_COLUMNS } from "../../animal-columns.ts";
import { ID } from "../../column.ts";
import { NEW_IDEMPOTENCY_COLUMNS } from "../../idempotency-row.ts";
import { keepCorrections, removeAnimals, updateAnimals } from "./corrections.ts";
import { continueFeed } from "./events.ts";
import { keepImport } from "./imports.ts";
import { insertRows } from "./insert-rows.ts";
import { addOrders } from "./orders.ts";
import { raiseLastId } from "./sequence.ts";
import type { BulkSession } from "./session.ts";

/** Begins to copy another store into this one, or continues an interrupted copy. */
export async function receive(session: BulkSession, source: string): Promise<CopyTarget> {
  await session.transaction(() => begin(session, source));
  const [last] = await session.run<{ id: bigint | null }[]>(
    (sql) => sql`SELECT max(id) AS id FROM animal_store.animal`,
  );
  return {
    lastId: last?.id ?? 0n,
    add: (animals) => insertRows<Animal>(session, "animal", [ID, ...NEW_ANIMAL_COLUMNS], animals),
    replace: (changed, removed) =>
      session.transaction(async () => {
        await updateAnimals(session, changed);
        await removeAnimals(session, removed);
      }),
    finish: (metadata, orders, records, confirm) =>
      session.transaction(async () => {
        await finish(session, metadata, orders, records);
        await confirm();
      }),
  };
}

async function begin(session: BulkSession, source: string): Promise<void> {
  // The row lock blocks creates meanwhile.
  const [state] = await session.run<{ empty: boolean; served: boolean; begun: string | null }[]>(
    (sql) => sql`
      SELECT (SELECT source FROM animal_store.incomplete_copy) AS begun,
             EXISTS (SELECT 1 FROM animal_store.secret) AS served,
             NOT (SELECT is_called FROM animal_store.animal_id_seq)
               AND NOT (SELECT is_called FROM animal_store.api_key_id_seq)
               AND NOT (SELECT is_called FROM animal_store.store_order_id_seq)
               AND NOT EXISTS (SELECT 1 FROM animal_store.idempotency_key)
               AND NOT EXISTS (SELECT 1 FROM animal_store.import) AS empty
        FROM animal_store.state WHERE single FOR UPDATE`,
  );
  if (state?.begun === source) return;
  if (state?.begun != null) throw new NotEmpty("another store's copy into it was begun and is not finished");
  if (!state?.empty) throw new NotEmpty("it has given ids to animals or keys already");
  if (state.served) throw new NotEmpty("a service has opened it, and may be serving it");
  await session.run((sql) => sql`INSERT INTO animal_store.incomplete_copy (source) VALUES (${source})`);
}

/** Stores all but the animals, and opens the store to services, within a transaction. */
async function finish(
  session: BulkSession,
  metadata: StoreMetadata,
  orders: AsyncIterable<readonly Order[]>,
  records: AsyncIterable<readonly IdempotencyRecord[]>,
): Promise<void> {
  for await (const chunk of orders) await addOrders(session, chunk);
  for await (const chunk of records) {
    await insertRows(session, "idempotency_key", NEW_IDEMPOTENCY_COLUMNS, chunk);
  }
  for (const key of metadata.keys) await addKey(session, key);
  for (const record of metadata.imports) await keepImport(session, record);
  await keepCorrections(session, metadata.corrections);
  const { cursorSecret } = metadata;
  if (cursorSecret) {
    await session.run((sql) => sql`INSERT INTO animal_store.secret VALUES ('cursor', ${cursorSecret})`);
  }
  await raiseLastId(session, "animal", metadata.lastAnimalId);
  await raiseLastId(session, "store_order", metadata.lastOrderId);
  await raiseLastId(session, "api_key", BigInt(metadata.lastKeyId));
  await continueFeed(session, metadata.newestEventId, metadata.recordsEvents);
  await session.run((sql) => sql`DELETE FROM animal_store.incomplete_copy`);
}

async function addKey(session: BulkSession, key: StoredKey): Promise<void> {
  const { id, line, environment, hash, name, scopes, createdAt, expiresAt, revokedAt } = key;
  const first = line === id ? null : line;
  await session.run(
    (sql) => sql`
      INSERT INTO animal_store.api_key (id, line, environment, hash, name, scopes, created_at, expires_at, revoked_at)
      OVERRIDING SYSTEM VALUE
      VALUES (${id}, ${first}::bigint, ${environment}, ${hash}, ${name}, ${JSON.stringify(scopes)},
              ${createdAt}::bigint, ${expiresAt}::bigint, ${revokedAt}::bigint)`,
  );
}
