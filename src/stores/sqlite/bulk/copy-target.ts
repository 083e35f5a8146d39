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
import { keepCorrections } from "./corrections.ts";
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
  await changeInTurn(database, () => begin(database, source), emit);
  const last = database.query<{ id: bigint | null }, []>("SELECT max(id) AS id FROM animal").get();
  return new SqliteCopyTarget(database, files, emit, last?.id ?? 0n);
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

class SqliteCopyTarget implements CopyTarget {
  readonly lastId: bigint;
  readonly #database: Database;
  readonly #files: OpenedFiles;
  readonly #emit: EventSink;

  constructor(database: Database, files: OpenedFiles, emit: EventSink, lastId: bigint) {
    this.#database = database;
    this.#files = files;
    this.#emit = emit;
    this.lastId = lastId;
  }

  async add(animals: readonly Animal[]): Promise<void> {
    const work = () =>
      withoutTrigger(this.#database, "animal_inserted", () =>
        insertRows<Animal>(this.#database, "animal", [ID, ...NEW_ANIMAL_COLUMNS], animals),
      );
    await changeInTurn(this.#database, work, this.#emit);
  }

  async replace(changed: readonly Animal[], removed: readonly bigint[]): Promise<void> {
    const update = this.#database.query(
      "UPDATE animal SET name = ?, category_id = ?, status = ? WHERE id = ?",
    );
    const remove = this.#database.query("DELETE FROM animal WHERE id = ?");
    const work = () => {
      for (const { id, name, categoryId, status } of changed) update.run(name, categoryId, status, id);
      for (const id of removed) remove.run(id);
    };
    await changeInTurn(this.#database, work, this.#emit);
  }

  async finish(
    metadata: StoreMetadata,
    orders: AsyncIterable<readonly Order[]>,
    records: AsyncIterable<readonly IdempotencyRecord[]>,
    confirm: () => Promise<void>,
  ): Promise<void> {
    const database = this.#database;
    await beginInTurn(database, this.#emit);
    try {
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
      await confirm();
      attempt(database, () => database.run("COMMIT"));
      this.#files.assertCommitted();
    } catch (error) {
      if (database.inTransaction) database.run("ROLLBACK");
      throw error;
    }
  }
}
