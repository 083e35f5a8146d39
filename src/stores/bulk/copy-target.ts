import type { MaybePromise } from "../../domain/maybe-promise.ts";
import type { Order } from "../../domain/order.ts";
import {
  type CopyTarget,
  type IdempotencyRecord,
  NotEmpty,
  type StoreMetadata,
} from "../../domain/transfer.ts";
import { incompleteCopy, UnusableStore } from "../errors.ts";
import { IDEMPOTENCY_RECORD, STORED_KEY } from "../tables.ts";
import type { BulkDatabase } from "./bulk-database.ts";
import { keepCorrections } from "./corrections.ts";
import { keepImport } from "./imports.ts";

/** Begins to copy another store into this one, or continues an interrupted copy. */
export async function receive(database: BulkDatabase, source: string): Promise<CopyTarget> {
  const { animals, schema } = database;
  await database.transaction(() => begin(database, source));
  const whileUnderWay = async (work: () => MaybePromise<void>): Promise<void> => {
    if ((await sourceUnderWay(database)) !== source) {
      throw new UnusableStore(
        `another \`copy\` into ${database.name} has finished meanwhile, so this one has ended. Its store can be served.`,
      );
    }
    await work();
  };
  const [last] = await database.rows<{ id: bigint | null }>(`SELECT max(id) AS id FROM ${schema}animal`);
  return {
    lastId: last?.id ?? 0n,
    add: (copied) => alone(database, () => whileUnderWay(() => animals.add(copied))),
    replace: (changed, removed) =>
      database.transaction(() =>
        whileUnderWay(async () => {
          await animals.update(changed);
          await animals.remove(removed);
        }),
      ),
    finish: (metadata, orders, records, confirm) =>
      alone(database, () =>
        database.transaction(() =>
          whileUnderWay(async () => {
            await finish(database, metadata, orders, records);
            await confirm();
          }),
        ),
      ),
  };
}

/** Copies rows. A row that is there already shows that another process copies them at the same time. */
async function alone(database: BulkDatabase, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!database.isRefusal(error)) throw error;
    throw new UnusableStore(
      `another \`copy\` into ${database.name} is running (${(error as Error).message}). Wait until it has ended; ` +
        "if it did not succeed, run this one again.",
      { cause: error },
    );
  }
}

/** @throws UnusableStore if an unfinished copy has partly filled the store */
export async function assertComplete(database: BulkDatabase): Promise<void> {
  if ((await sourceUnderWay(database)) !== undefined) throw new UnusableStore(incompleteCopy(database.name));
}

/** The store that is being copied into this one, if any. */
async function sourceUnderWay({ rows, schema }: BulkDatabase): Promise<string | undefined> {
  return (await rows<{ source: string }>(`SELECT source FROM ${schema}incomplete_copy`))[0]?.source;
}

async function begin(database: BulkDatabase, source: string): Promise<void> {
  const { ids, schema } = database;
  // The lock blocks creates meanwhile.
  const lastAnimalId = await ids.lock("animal");
  const begun = await sourceUnderWay(database);
  if (begun === source) return;
  if (begun !== undefined)
    throw new NotEmpty("a copy of another store into it was begun, which only the same --from continues");
  const isEmpty =
    lastAnimalId === 0n &&
    (await ids.last("api_key")) === 0n &&
    (await ids.last("store_order")) === 0n &&
    !(await holdsAny(database, "idempotency_key")) &&
    !(await holdsAny(database, "import"));
  if (!isEmpty) throw new NotEmpty("it has given ids to animals or keys already");
  if (await holdsAny(database, "secret")) {
    throw new NotEmpty("a service has opened it, and may be serving it");
  }
  await database.rows(`INSERT INTO ${schema}incomplete_copy (source) VALUES ($1)`, [source]);
}

async function holdsAny({ rows, schema }: BulkDatabase, table: string): Promise<boolean> {
  return (await rows(`SELECT 1 FROM ${schema}${table} LIMIT 1`)).length > 0;
}

/** Stores all but the animals, and opens the store to services, within a transaction. */
async function finish(
  database: BulkDatabase,
  metadata: StoreMetadata,
  orders: AsyncIterable<readonly Order[]>,
  records: AsyncIterable<readonly IdempotencyRecord[]>,
): Promise<void> {
  const { ids, feed, schema } = database;
  for await (const chunk of orders) await database.orders.add([chunk]);
  for await (const chunk of records) {
    await database.insert(`${schema}idempotency_key`, IDEMPOTENCY_RECORD.columns, chunk);
  }
  await database.insert(`${schema}api_key`, STORED_KEY.columns, metadata.keys);
  for (const record of metadata.imports) await keepImport(database, record);
  await keepCorrections(database, metadata.corrections);
  const { cursorSecret } = metadata;
  if (cursorSecret) {
    await database.rows(`INSERT INTO ${schema}secret (name, value) VALUES ('cursor', $1)`, [cursorSecret]);
  }
  await ids.raise("animal", metadata.lastAnimalId);
  await ids.raise("store_order", metadata.lastOrderId);
  await ids.raise("api_key", BigInt(metadata.lastKeyId));
  // The animals came without a trace. A standby that lacks them is known by what it has counted.
  await database.countRewrite();
  await feed.continueAfter(metadata.newestEventId, metadata.recordsEvents);
  await database.rows(`DELETE FROM ${schema}incomplete_copy`);
}
