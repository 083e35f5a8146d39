import type { Database } from "bun:sqlite";
import { closeOnFailure } from "../../close-on-failure.ts";
import { recordKeyUses } from "../api-keys.ts";
import { connectToWrite, dropPageCache } from "../connection.ts";
import { isTransient } from "../errors.ts";
import { EventLog } from "../event-log.ts";
import { IdempotencyRecords } from "../idempotency-keys.ts";
import { OpenedFiles, type StoreFiles } from "../opened-files.ts";
import { scalar } from "../scalar.ts";
import { disableBusyTimeout, retryWhileBusy } from "../write-lock.ts";
import type { FailedReply, WriteRequest, WriterReply, WriterRequest, WriterTask } from "./messages.ts";
import { OrderChanges } from "./order-changes.ts";
import { type Connection, writeBatches } from "./write-batches.ts";

/** Writes to the store. It blocks while the disk syncs, so it runs on a separate thread. */
export class StoreWriter {
  readonly #connect: () => Connection;
  readonly #files: StoreFiles;
  #connected: Connection | undefined;

  /** @param connect opens the connection, with the first write */
  constructor(files: StoreFiles, connect: () => Connection) {
    this.#files = files;
    this.#connect = connect;
  }

  /** The writer of a file, with a connection of its own. */
  static ofFile({ file, opened }: WriterTask): StoreWriter {
    return new StoreWriter(new OpenedFiles(opened), () => {
      const database = connectToWrite(file);
      return closeOnFailure(database, () => writingOn(database));
    });
  }

  /** Carries out a request in one transaction. */
  write(request: WriterRequest): WriterReply {
    switch (request.kind) {
      case "sweep":
        return this.#attempt(({ idempotency }) => ({ swept: idempotency.sweep(request.before) }));
      case "sweep-events":
        return this.#attempt(({ transaction, events }) => ({
          swept: transaction(() => events.deleteExpired(request.before)),
        }));
      case "key-uses":
        return this.#attempt(({ database }) => {
          recordKeyUses(database, request.uses);
          return { recorded: true };
        });
      case "try":
        return this.#attempt(({ database }) => {
          rewriteSomePages(database);
          return { tried: true };
        });
      default:
        return this.writeTogether([request])[0] as WriterReply;
    }
  }

  /** Closes the connection; nothing can be written after that. */
  close(): void {
    this.#connected?.database.close();
    this.#connected = undefined;
  }

  /** Writes several batches in one transaction, and returns a reply for each. */
  writeTogether(batches: readonly WriteRequest[]): readonly WriterReply[] {
    const replies = this.#attempt((store) => writeBatches(store, batches));
    return "error" in replies ? batches.map(() => replies) : replies;
  }

  /** Runs work that starts by taking the write lock. A write that went to a file other than the store's fails. */
  #attempt<Reply>(work: (store: Connection) => Reply): Reply | FailedReply {
    try {
      const before = this.#connected ? this.#files.lookAtLocks() : this.#files.look();
      if (before !== undefined) return { error: before, transient: true };
      this.#connected ??= this.#connect();
      const store = this.#connected;
      const reply = retryWhileBusy(() => work(store));
      const after = this.#files.look() ?? this.#checkTruncation(store.database);
      return after === undefined ? reply : { error: after, transient: true };
    } catch (error) {
      const transient = isTransient(error);
      if (transient && this.#connected) dropPageCache(this.#connected.database);
      return { error: transient ? `SQLite: ${error.code}: ${error.message}` : String(error), transient };
    }
  }

  /**
   * SQLite does not notice that a database was truncated while its pages are in the page cache; what it adds then depends
   * on pages that are gone. Returns the problem for the log, or `undefined` if the database is whole.
   */
  #checkTruncation(database: Database): string | undefined {
    if (!this.#files.hasShrunk) return undefined;
    dropPageCache(database);
    const found = scalar<string>(database, "PRAGMA quick_check(1)");
    if (found !== "ok") return `the database was cut: ${found}`;
    this.#files.acceptSize();
    return undefined;
  }
}

/** What writes to a store, on a connection that can. */
export function writingOn(database: Database): Connection {
  disableBusyTimeout(database);
  const idempotency = new IdempotencyRecords(database);
  const orders = new OrderChanges(database, idempotency);
  const transact = database.transaction((work: () => unknown) => work()).immediate;
  const transaction = <Result>(work: () => Result) => transact(work) as Result;
  return { database, transaction, idempotency, orders, events: new EventLog(database) };
}

/**
 * Needs free space and a sync, as a create does, but changes nothing: it rewrites the first page (the application id), the
 * last ids and the revision with the values that they have.
 */
function rewriteSomePages(database: Database): void {
  database
    .transaction(() => {
      database.run(`PRAGMA application_id = ${scalar<bigint>(database, "PRAGMA application_id")}`);
      database.run("UPDATE sqlite_sequence SET seq = seq");
      database.run("UPDATE revision SET rewrites = rewrites");
    })
    .immediate();
}
