import type { Database } from "bun:sqlite";
import type { Animal } from "../../../domain/animal.ts";
import type { EventSink } from "../../../domain/event.ts";
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
import { addStoredKey } from "../api-keys.ts";
import { attempt } from "../connection.ts";
import { continueFeed } from "../feed.ts";
import type { OpenedFiles } from "../opened-files.ts";
import { lastIdOf, raiseLastId } from "../sequence.ts";
import { withoutTrigger } from "../without-trigger.ts";
import { beginInTurn, changeInTurn } from "../write-turn.ts";
import { keepCorrections, replaceAnimals } from "./corrections.ts";
import { keepImport } from "./imports.ts";
import { insertRows } from "./insert-rows.ts";
import { addAgreeingOrders } from "./orders.ts";

/**
 * Begins to copy another store into this one, or continues an interrupted copy.
 *
 * @param emit receives an event while the copy waits for the write lock
 */
export async function receive(
  database: Database,
  source: string,
  files: OpenedFiles,
  emit: EventSink,
): Promise<CopyTarget> {
  const change = (work: () => void) => changeInTurn(database, work, emit);
  await change(() => begin(database, source));
  const last = database.query<{ id: bigint | null }, []>("SELECT max(id) AS id FROM animal").get();
  return {
    lastId: last?.id ?? 0n,
    add: (animals) =>
      change(() =>
        withoutTrigger(database, "animal_inserted", () =>
          insertRows<Animal>(database, "animal", [ID, ...NEW_ANIMAL_COLUMNS], animals),
        ),
      ),
    replace: (changed, removed) => change(() => replaceAnimals(database, changed, removed)),
    async finish(metadata, orders, records, confirm) {
      await beginInTurn(database, emit);
      try {
        await finish(database, metadata, orders, records);
        await confirm();
        attempt(database, () => database.run("COMMIT"));
        files.assertCommitted();
      } catch (error) {
        if (database.inTransaction) database.run("ROLLBACK");
        throw error;
      }
    },
  };
}

function begin(database: Database, source: string): void {
  const begun = sourceUnderWay(database);
  if (begun === source) return;
  if (begun !== undefined) throw new NotEmpty("another store's copy into it was begun and is not finished");
  const isEmpty =
    lastIdOf(database, "animal") === 0n &&
    lastIdOf(database, "api_key") === 0n &&
    lastIdOf(database, "store_order") === 0n &&
    database.query("SELECT 1 FROM idempotency_key UNION ALL SELECT 1 FROM import LIMIT 1").get() === null;
  if (!isEmpty) throw new NotEmpty("it has given ids to animals or keys already");
  const served = database.query("SELECT 1 FROM secret").get() !== null;
  if (served) throw new NotEmpty("a service has opened it, and may be serving it");
  database.query("INSERT INTO incomplete_copy VALUES (1, ?)").run(source);
}

/** Which store is being copied into this one, if any. */
export function sourceUnderWay(database: Database): string | undefined {
  return database.query<{ source: string }, []>("SELECT source FROM incomplete_copy").get()?.source;
}

/** Stores all but the animals, and opens the store to services, within a transaction. */
async function finish(
  database: Database,
  metadata: StoreMetadata,
  orders: AsyncIterable<readonly Order[]>,
  records: AsyncIterable<readonly IdempotencyRecord[]>,
): Promise<void> {
  for await (const chunk of orders) attempt(database, () => addAgreeingOrders(database, [chunk]));
  for await (const chunk of records) {
    attempt(database, () => insertRows(database, "idempotency_key", NEW_IDEMPOTENCY_COLUMNS, chunk));
  }
  attempt(database, () => {
    for (const key of metadata.keys) addStoredKey(database, key);
    for (const record of metadata.imports) keepImport(database, record);
    keepCorrections(database, metadata.corrections);
    if (metadata.cursorSecret) {
      database.query("INSERT INTO secret VALUES ('cursor', ?)").run(metadata.cursorSecret);
    }
    raiseLastId(database, "animal", metadata.lastAnimalId);
    raiseLastId(database, "store_order", metadata.lastOrderId);
    continueFeed(database, metadata.newestEventId, metadata.recordsEvents);
    raiseLastId(database, "api_key", BigInt(metadata.lastKeyId));
    database.run("DELETE FROM incomplete_copy");
  });
}
