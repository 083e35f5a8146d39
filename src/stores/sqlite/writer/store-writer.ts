import type { Database } from "bun:sqlite";
import type { OrderOutcome } from "../../order-write.ts";
import {
  connectToWrite,
  disableBusyTimeout,
  dropPageCache,
  isTransient,
  retryWhileBusy,
} from "../connection.ts";
import { IdempotencyRecords } from "../idempotency-keys.ts";
import { OpenedFiles } from "../opened-files.ts";
import { type Inserted, insertAll, insertEach } from "./insert-animals.ts";
import type {
  Creates,
  FailedReply,
  OrderWrites,
  WriteRequest,
  WriterReply,
  WriterRequest,
  WriterTask,
} from "./messages.ts";
import { OrderChanges } from "./order-changes.ts";
import { orderJsonOf, writesOf } from "./order-json.ts";

interface Connected {
  readonly database: Database;
  readonly idempotency: IdempotencyRecords;
  readonly orders: OrderChanges;
}

/** What became of the writes of one transaction. */
interface Written {
  readonly inserted: Inserted | undefined;
  readonly orders: readonly OrderOutcome[];
}

/** Writes to the store, and waits for the disk meanwhile, so it needs a thread of its own. */
export class StoreWriter {
  readonly #file: string;
  readonly #files: OpenedFiles;
  #connected: Connected | undefined;

  constructor({ file, opened }: WriterTask) {
    this.#file = file;
    this.#files = new OpenedFiles(opened);
  }

  /** Does what is asked in one transaction. */
  write(request: WriterRequest): WriterReply {
    switch (request.kind) {
      case "sweep":
        return this.#attempt(({ idempotency }) => ({ swept: idempotency.sweep(request.before) }));
      case "try":
        return this.#attempt(({ database }) => {
          rewriteSomePages(database);
          return { tried: true };
        });
      default:
        return this.writeTogether([request])[0] as WriterReply;
    }
  }

  /** Nothing is written any more. */
  close(): void {
    this.#connected?.database.close();
    this.#connected = undefined;
  }

  /** Writes several batches in one transaction: first the creates, then the orders, each in the order of the batches. */
  writeTogether(batches: readonly WriteRequest[]): readonly WriterReply[] {
    const creates = batches.filter(isCreates);
    const orders = batches.filter(isOrders);
    const replies = this.#attempt((store) => repliesTo(batches, writeAll(store, creates, orders)));
    return "error" in replies ? batches.map(() => replies) : replies;
  }

  /** The work begins by taking the write lock. Nothing is acknowledged that went into another file than the store's. */
  #attempt<Reply>(work: (store: Connected) => Reply): Reply | FailedReply {
    try {
      const before = this.#connected ? this.#files.problem : this.#files.look();
      if (before !== undefined) return { error: before, passing: true };
      this.#connected ??= connectTo(this.#file);
      const store = this.#connected;
      const reply = retryWhileBusy(() => work(store));
      const after = this.#files.look() ?? this.#lookForCut(store.database);
      return after === undefined ? reply : { error: after, passing: true };
    } catch (error) {
      const passing = isTransient(error);
      if (passing && this.#connected) dropPageCache(this.#connected.database);
      return { error: passing ? `SQLite: ${error.code}: ${error.message}` : String(error), passing };
    }
  }

  /**
   * Of a database that was cut, SQLite knows nothing for as long as it has the pages in memory; what is added then
   * rests on pages that are gone. Returns the message for the log; `undefined`: it is whole.
   */
  #lookForCut(database: Database): string | undefined {
    if (!this.#files.hasShrunk) return undefined;
    dropPageCache(database);
    const [first] = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
    if (first?.quick_check !== "ok") return `the database was cut: ${first?.quick_check}`;
    this.#files.acceptSize();
    return undefined;
  }
}

function connectTo(file: string): Connected {
  const database = connectToWrite(file);
  disableBusyTimeout(database);
  const idempotency = new IdempotencyRecords(database);
  return { database, idempotency, orders: new OrderChanges(database, idempotency) };
}

function isCreates(batch: WriteRequest): batch is Creates {
  return batch.kind !== "orders";
}

function isOrders(batch: WriteRequest): batch is OrderWrites {
  return batch.kind === "orders";
}

function writeAll(store: Connected, creates: readonly Creates[], orders: readonly OrderWrites[]): Written {
  // One of the two needs no transaction around it: each is one already.
  if (orders.length === 0) return { inserted: insertAnimals(store, creates), orders: [] };
  if (creates.length === 0) return { inserted: undefined, orders: changeOrders(store, orders) };
  return store.database
    .transaction(() => ({ inserted: insertAnimals(store, creates), orders: changeOrders(store, orders) }))
    .immediate();
}

function insertAnimals({ database, idempotency }: Connected, batches: readonly Creates[]): Inserted {
  const rows = `[${batches.map(({ rows }) => rows).join(",")}]`;
  const times = batches.flatMap((batch) => (batch.kind === "retryable" ? [batch.now] : []));
  return times.length > 0
    ? insertEach(database, idempotency, rows, Math.max(...times))
    : insertAll(database, idempotency, rows);
}

function changeOrders({ orders }: Connected, batches: readonly OrderWrites[]): readonly OrderOutcome[] {
  const writes = batches.flatMap(({ writes }) => writesOf(writes));
  return orders.apply(writes, Math.max(...batches.map(({ now }) => now)));
}

/** To each batch what became of its own writes. */
function repliesTo(batches: readonly WriteRequest[], { inserted, orders }: Written): WriterReply[] {
  let creates = 0;
  let changes = 0;
  return batches.map((batch) => {
    if (batch.kind === "orders") {
      changes += batch.count;
      return { orders: orderJsonOf(orders.slice(changes - batch.count, changes)) };
    }
    creates += batch.count;
    return partOf(inserted as Inserted, creates - batch.count, creates);
  });
}

function partOf(inserted: Inserted, from: number, to: number): WriterReply {
  return "first" in inserted
    ? { first: (BigInt(inserted.first) + BigInt(from)).toString() }
    : { each: inserted.each.slice(from, to) };
}

/**
 * Needs room on the disk and a sync as a create does, and changes nothing: the first page, which holds the file's
 * mark, the last ids and the revision are written as they stand.
 */
function rewriteSomePages(database: Database): void {
  database
    .transaction(() => {
      const { application_id: id } = database
        .query<{ application_id: bigint }, []>("PRAGMA application_id")
        .get() as { application_id: bigint };
      database.run(`PRAGMA application_id = ${id}`);
      database.run("UPDATE sqlite_sequence SET seq = seq");
      database.run("UPDATE revision SET rewrites = rewrites");
    })
    .immediate();
}
