import type { Database } from "bun:sqlite";
import type { OrderOutcome, OrderWrite } from "../../order-write.ts";
import type { EventLog } from "../event-log.ts";
import type { IdempotencyRecords } from "../idempotency-keys.ts";
import { itemsOf, jsonOf } from "./exact-json.ts";
import { type Inserted, idsOf, insertAll, insertEach, insertUnlessRecording } from "./insert-animals.ts";
import type { WriteRequest, WriterReply } from "./messages.ts";
import type { OrderChanges } from "./order-changes.ts";

/** The connection that writes, with its statements. */
export interface Connection {
  readonly database: Database;
  /** Runs work as one transaction that holds the write lock from its start. */
  readonly transaction: <Result>(work: () => Result) => Result;
  readonly idempotency: IdempotencyRecords;
  readonly orders: OrderChanges;
  readonly events: EventLog;
}

/** The outcomes of one transaction. */
interface Written {
  readonly inserted: Inserted | undefined;
  readonly outcomes: readonly OrderOutcome[];
}

/**
 * Writes several batches in one transaction: first the creates and then the orders, each in the order of the batches.
 * If the store records events, the events of these changes are in the same transaction.
 */
export function writeBatches(store: Connection, batches: readonly WriteRequest[]): WriterReply[] {
  const { inserted, outcomes } = writeAsStatement(store, batches) ?? writeAsTransaction(store, batches);
  let added = 0;
  let changed = 0;
  return batches.map((batch) => {
    if (isOrders(batch)) {
      changed += batch.count;
      return { outcomes: jsonOf(outcomes.slice(changed - batch.count, changed)) };
    }
    added += batch.count;
    return replyFor(inserted as Inserted, added - batch.count, added);
  });
}

/** Returns `undefined` if nothing was written, since that takes more than one statement. */
function writeAsStatement(
  { database, events }: Connection,
  batches: readonly WriteRequest[],
): Written | undefined {
  if (events.wasRecording || batches.some(({ kind }) => kind !== "plain")) return undefined;
  const inserted = insertUnlessRecording(database, rowsOf(batches));
  return inserted && { inserted, outcomes: [] };
}

function writeAsTransaction(store: Connection, batches: readonly WriteRequest[]): Written {
  const creates = batches.filter((batch) => !isOrders(batch));
  const orders = batches.filter(isOrders);
  return store.transaction(() => {
    const events = store.events.isRecording() ? store.events : undefined;
    return {
      inserted: creates.length > 0 ? insertAnimals(store, creates, events) : undefined,
      outcomes: orders.length > 0 ? changeOrders(store, orders, events) : [],
    };
  });
}

function isOrders({ kind }: WriteRequest): boolean {
  return kind === "orders";
}

function rowsOf(creates: readonly WriteRequest[]): string {
  return `[${creates.map(({ writes }) => writes).join(",")}]`;
}

function latestOf(batches: readonly WriteRequest[]): number {
  return Math.max(...batches.map(({ now }) => now));
}

function insertAnimals(
  { database, idempotency }: Connection,
  batches: readonly WriteRequest[],
  events: EventLog | undefined,
): Inserted {
  const rows = rowsOf(batches);
  const now = latestOf(batches);
  const inserted = batches.some(({ kind }) => kind === "retryable")
    ? insertEach(database, idempotency, rows, now)
    : insertAll(database, idempotency, rows);
  const ids = events && idsOf(inserted);
  if (ids) events.animalsCreated(ids.first, ids.last, now);
  return inserted;
}

function changeOrders(
  { orders }: Connection,
  batches: readonly WriteRequest[],
  events: EventLog | undefined,
): readonly OrderOutcome[] {
  const changes = batches.flatMap(({ writes }) => itemsOf<OrderWrite>(writes));
  return orders.apply(changes, latestOf(batches), events);
}

function replyFor(inserted: Inserted, from: number, to: number): WriterReply {
  return "first" in inserted
    ? { first: (inserted.first + BigInt(from)).toString() }
    : { outcomes: jsonOf(inserted.each.slice(from, to)) };
}
