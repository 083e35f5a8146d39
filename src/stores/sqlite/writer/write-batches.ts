import type { Database } from "bun:sqlite";
import type { OrderOutcome } from "../../order-write.ts";
import type { EventLog } from "../event-log.ts";
import type { IdempotencyRecords } from "../idempotency-keys.ts";
import { type Inserted, idsOf, insertAll, insertEach, insertUnlessRecording } from "./insert-animals.ts";
import type { Creates, OrderWrites, WriteRequest, WriterReply } from "./messages.ts";
import type { OrderChanges } from "./order-changes.ts";
import { orderJsonOf, writesOf } from "./order-json.ts";

/** The connection that writes, with its statements. */
export interface Connection {
  readonly database: Database;
  /** Runs work as one transaction, with the write lock from its start. */
  readonly transaction: <Result>(work: () => Result) => Result;
  readonly idempotency: IdempotencyRecords;
  readonly orders: OrderChanges;
  readonly events: EventLog;
}

/** What became of the writes of one transaction. */
interface Written {
  readonly inserted: Inserted | undefined;
  readonly outcomes: readonly OrderOutcome[];
}

/**
 * Writes several batches in one transaction: first the creates and then the orders, each in the order of the batches.
 * Where the store records events, theirs are in the same transaction.
 */
export function writeBatches(store: Connection, batches: readonly WriteRequest[]): WriterReply[] {
  const { inserted, outcomes } = writeAsStatement(store, batches) ?? writeAsTransaction(store, batches);
  let added = 0;
  let changed = 0;
  return batches.map((batch) => {
    if (isOrders(batch)) {
      changed += batch.count;
      return { orders: orderJsonOf(outcomes.slice(changed - batch.count, changed)) };
    }
    added += batch.count;
    return partOf(inserted as Inserted, added - batch.count, added);
  });
}

/** `undefined`: nothing was written, since that takes more than one statement. */
function writeAsStatement(
  { database, events }: Connection,
  batches: readonly WriteRequest[],
): Written | undefined {
  const creates = batches.filter(isPlain);
  if (events.wasRecording || creates.length < batches.length) return undefined;
  const inserted = insertUnlessRecording(database, rowsOf(creates));
  return inserted && { inserted, outcomes: [] };
}

function writeAsTransaction(store: Connection, batches: readonly WriteRequest[]): Written {
  const creates = batches.filter(isCreates);
  const orders = batches.filter(isOrders);
  return store.transaction(() => {
    const events = store.events.isRecording() ? store.events : undefined;
    return {
      inserted: creates.length > 0 ? insertAnimals(store, creates, events) : undefined,
      outcomes: orders.length > 0 ? changeOrders(store, orders, events) : [],
    };
  });
}

function isPlain(batch: WriteRequest): batch is Creates {
  return batch.kind === "plain";
}

function isCreates(batch: WriteRequest): batch is Creates {
  return !isOrders(batch);
}

function isOrders(batch: WriteRequest): batch is OrderWrites {
  return batch.kind === "orders";
}

function rowsOf(batches: readonly Creates[]): string {
  return `[${batches.map(({ rows }) => rows).join(",")}]`;
}

function insertAnimals(
  { database, idempotency }: Connection,
  batches: readonly Creates[],
  events: EventLog | undefined,
): Inserted {
  const rows = rowsOf(batches);
  const now = Math.max(...batches.map(({ now }) => now));
  const inserted = batches.some(({ kind }) => kind === "retryable")
    ? insertEach(database, idempotency, rows, now)
    : insertAll(database, idempotency, rows);
  const ids = events && idsOf(inserted);
  if (ids) events.animalsCreated(ids.first, ids.last, now);
  return inserted;
}

function changeOrders(
  { orders }: Connection,
  batches: readonly OrderWrites[],
  events: EventLog | undefined,
): readonly OrderOutcome[] {
  const writes = batches.flatMap(({ writes }) => writesOf(writes));
  return orders.apply(writes, Math.max(...batches.map(({ now }) => now)), events);
}

function partOf(inserted: Inserted, from: number, to: number): WriterReply {
  return "first" in inserted
    ? { first: (BigInt(inserted.first) + BigInt(from)).toString() }
    : { each: inserted.each.slice(from, to) };
}
