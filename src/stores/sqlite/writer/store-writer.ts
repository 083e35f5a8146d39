import type { Database } from "bun:sqlite";
import {
  connectToWrite,
  disableBusyTimeout,
  dropPageCache,
  isTransient,
  retryWhileBusy,
} from "../connection.ts";
import { IdempotencyRecords } from "../idempotency-keys.ts";
import { OpenedFiles } from "../opened-files.ts";
import type { Creates, RowOutcome, WriterReply, WriterRequest, WriterTask } from "./messages.ts";

interface Connected {
  readonly database: Database;
  readonly idempotency: IdempotencyRecords;
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

  /** Stores several batches of creates, in their order, in one transaction, with a reply to each. */
  writeTogether(batches: readonly Creates[]): readonly WriterReply[] {
    const rows = `[${batches.map(({ rows }) => rows).join(",")}]`;
    const times = batches.flatMap((batch) => (batch.kind === "retryable" ? [batch.now] : []));
    const reply = this.#attempt((store) =>
      times.length > 0 ? { each: insertEach(store, rows, Math.max(...times)) } : insertAll(store, rows),
    );
    return batches.length === 1 ? [reply] : parts(reply, batches);
  }

  /** The work begins by taking the write lock. Nothing is acknowledged that went into another file than the store's. */
  #attempt(work: (store: Connected) => WriterReply): WriterReply {
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
  return { database, idempotency: new IdempotencyRecords(database) };
}

/** What a reply to all says to each. */
function parts(reply: WriterReply, batches: readonly Creates[]): WriterReply[] {
  let before = 0;
  return batches.map(({ count }) => {
    const from = before;
    before += count;
    if ("first" in reply) return { first: (BigInt(reply.first) + BigInt(from)).toString() };
    return "each" in reply ? { each: reply.each.slice(from, before) } : reply;
  });
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

const INSERT = "INSERT INTO animal (name, category_id, status)";

/** Inserts a batch as one statement, which is a transaction; where SQLite refuses it, each row by itself. */
function insertAll(store: Connected, rows: string): WriterReply {
  try {
    const { changes, lastInsertRowid } = store.database
      .query(`${INSERT} SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) ORDER BY key`)
      .run(rows);
    return { first: (BigInt(lastInsertRowid) - BigInt(changes) + 1n).toString() };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { each: insertEach(store, rows, 0) };
  }
}

interface Row {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
  readonly line: bigint | null;
  readonly key: string | null;
  readonly digest: string | null;
}

/** Inserts a batch in one transaction, row by row, so that a bad one fails alone. */
function insertEach({ database, idempotency }: Connected, batch: string, now: number): RowOutcome[] {
  const rows = database.query<Row, [string]>(
    `SELECT value ->> 0 AS name, value ->> 1 AS categoryId, value ->> 2 AS status,
            value ->> 3 AS line, value ->> 4 AS key, value ->> 5 AS digest
     FROM json_each(?) ORDER BY json_each.key`,
  );
  const insert = database.query(`${INSERT} VALUES (?, ?, ?)`);
  const insertOne = database.transaction(
    ({ name, categoryId, status, line, key, digest }: Row): RowOutcome => {
      const claimed = line !== null && key !== null && digest !== null ? { line, key, digest } : undefined;
      const earlier = claimed && idempotency.find(claimed, now);
      if (earlier) {
        const same = earlier.digest === digest;
        return same ? { id: earlier.animalId.toString(), replayed: true } : { reused: true };
      }
      const id = BigInt(insert.run(name, categoryId, status).lastInsertRowid);
      if (claimed) idempotency.keep(claimed, id, now);
      return { id: id.toString() };
    },
  );
  return database
    .transaction(() =>
      rows.all(batch).map((row) => {
        try {
          return insertOne(row);
        } catch (error) {
          if (!isRefusal(error)) throw error;
          return { refused: String(error) };
        }
      }),
    )
    .immediate();
}

/** A constraint that a row does not meet (SQLITE_CONSTRAINT), or a value of a wrong type (SQLITE_MISMATCH). */
function isRefusal(error: unknown): boolean {
  const errno = (error as { errno?: number }).errno ?? 0;
  return (errno & 0xff) === 19 || (errno & 0xff) === 20;
}
