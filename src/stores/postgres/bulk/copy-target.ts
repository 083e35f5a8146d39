import type { Animal } from "../../../domain/animal.ts";
import type { Order } from "../../../domain/order.ts";
import {
  type CopyTarget,
  type IdempotencyRecord,
  NotEmpty,
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
import type { BulkSession } from "./session.ts";

/** Begins to copy another store into this one, or continues an interrupted copy. */
export async function receive(session: BulkSession, source: string): Promise<CopyTarget> {
  await session.transaction(() => begin(session, source));
  const [last] = await session.run<{ id: bigint | null }[]>(
    (sql) => sql`SELECT max(id) AS id FROM animal_store.animal`,
  );
  return new PostgresCopyTarget(session, last?.id ?? 0n);
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

class PostgresCopyTarget implements CopyTarget {
  readonly lastId: bigint;
  readonly #session: BulkSession;

  constructor(session: BulkSession, lastId: bigint) {
    this.#session = session;
    this.lastId = lastId;
  }

  add(animals: readonly Animal[]): Promise<void> {
    return insertRows<Animal>(this.#session, "animal", [ID, ...NEW_ANIMAL_COLUMNS], animals);
  }

  async replace(changed: readonly Animal[], removed: readonly bigint[]): Promise<void> {
    await this.#session.transaction(async () => {
      await updateAnimals(this.#session, changed);
      await removeAnimals(this.#session, removed);
    });
  }

  finish(
    metadata: StoreMetadata,
    orders: AsyncIterable<readonly Order[]>,
    records: AsyncIterable<readonly IdempotencyRecord[]>,
    confirm: () => Promise<void>,
  ): Promise<void> {
    return this.#session.transaction(async () => {
      for await (const chunk of orders) await addOrders(this.#session, chunk);
      for await (const chunk of records) {
        await insertRows(this.#session, "idempotency_key", NEW_IDEMPOTENCY_COLUMNS, chunk);
      }
      await this.#addKeys(metadata);
      for (const record of metadata.imports) await keepImport(this.#session, record);
      await keepCorrections(this.#session, metadata.corrections);
      const { cursorSecret: secret, lastAnimalId, lastOrderId } = metadata;
      if (secret) {
        await this.#session.run((sql) => sql`INSERT INTO animal_store.secret VALUES ('cursor', ${secret})`);
      }
      if (lastAnimalId > 0n) {
        await this.#session.run(
          (
            sql,
          ) => sql`SELECT setval('animal_store.animal_id_seq', greatest(last_value, ${lastAnimalId}::bigint))
                         FROM animal_store.animal_id_seq`,
        );
      }
      if (lastOrderId > 0n) {
        await this.#session.run(
          (sql) => sql`SELECT setval('animal_store.store_order_id_seq', ${lastOrderId}::bigint)`,
        );
      }
      await continueFeed(this.#session, metadata.newestEventId, metadata.recordsEvents);
      await this.#session.run((sql) => sql`DELETE FROM animal_store.incomplete_copy`);
      await confirm();
    });
  }

  async #addKeys({ keys, lastKeyId }: StoreMetadata): Promise<void> {
    for (const { id, line, environment, hash, name, scopes, createdAt, expiresAt, revokedAt } of keys) {
      const first = line === id ? null : line;
      await this.#session.run(
        (sql) => sql`
          INSERT INTO animal_store.api_key (id, line, environment, hash, name, scopes, created_at, expires_at, revoked_at)
          OVERRIDING SYSTEM VALUE
          VALUES (${id}, ${first}::bigint, ${environment}, ${hash}, ${name}, ${JSON.stringify(scopes)}, ${createdAt}::bigint, ${expiresAt}::bigint,
                  ${revokedAt}::bigint)`,
      );
    }
    if (lastKeyId > 0) {
      await this.#session.run(
        (sql) => sql`SELECT setval('animal_store.api_key_id_seq', ${lastKeyId}::bigint)`,
      );
    }
  }
}
