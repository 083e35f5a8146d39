// The writer thread of an SQLite store: batches of creates come in, one at a time, each as one JSON
// text, since one string is the cheapest message there is; SQLite itself reads that text.
import type { Database } from "bun:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { catchLock, connectToWrite, forgetPages, isCircumstance, waitForNoLock } from "./connection.ts";
import { Retries } from "./retries.ts";

/** Work for the writer, as JSON: int64s are numbers to their last digit, so only SQLite may read them. */
export type WriterRequest =
  /** Creates: `[name, categoryId, status]` each. */
  | { readonly kind: "plain"; readonly rows: string }
  /** Creates of which some may be repeated: `[name, categoryId, status, owner, key, digest]` each. */
  | { readonly kind: "retryable"; readonly rows: string; readonly now: number }
  /** Forgets some of the retries that began before a time. */
  | { readonly kind: "sweep"; readonly before: number }
  /** Commits what changes nothing, to see whether that can be done. */
  | { readonly kind: "try" };

/** What became of a create: its id, that its key was used for another, or why SQLite refused it. */
export interface RowOutcome {
  readonly id?: string;
  readonly reused?: true;
  readonly refused?: string;
}

/** The answer to a request, as JSON: int64s are strings. */
export type WriterReply =
  /** All were stored, with consecutive ids from this one on. */
  | { readonly first: string }
  /** Each was stored, or not, by itself. */
  | { readonly each: readonly RowOutcome[] }
  /** None was stored; `passing` when the cause is the store's circumstances, not a mistake of ours. */
  | { readonly error: string; readonly passing: boolean }
  /** How many retries were forgotten. */
  | { readonly swept: number }
  | { readonly tried: true };

interface Connected {
  readonly database: Database;
  readonly retries: Retries;
}

let connected: Connected | undefined;

parentPort?.on("message", (request: WriterRequest) => parentPort?.postMessage(write(request)));

function write(request: WriterRequest): WriterReply {
  try {
    connected ??= open(workerData as string);
    const store = connected;
    return catchLock(() => carryOut(store, request));
  } catch (error) {
    const passing = isCircumstance(error);
    if (passing && connected) forgetPages(connected.database);
    return { error: passing ? `SQLite: ${error.code}: ${error.message}` : String(error), passing };
  }
}

/** One transaction, which begins by taking the write lock. */
function carryOut(store: Connected, request: WriterRequest): WriterReply {
  switch (request.kind) {
    case "plain":
      return insertAll(store, request.rows);
    case "retryable":
      return { each: insertEach(store, request.rows, request.now) };
    case "sweep":
      return { swept: store.retries.sweep(request.before) };
    case "try":
      rewriteFirstPage(store.database);
      return { tried: true };
  }
}

function open(file: string): Connected {
  const database = connectToWrite(file);
  waitForNoLock(database);
  return { database, retries: new Retries(database) };
}

/** The least that needs room on the disk and a sync: the file's mark is written as it stands. */
function rewriteFirstPage(database: Database): void {
  database
    .transaction(() => {
      const { application_id: id } = database
        .query<{ application_id: bigint }, []>("PRAGMA application_id")
        .get() as { application_id: bigint };
      database.run(`PRAGMA application_id = ${id}`);
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
  readonly owner: bigint | null;
  readonly key: string | null;
  readonly digest: string | null;
}

/** Inserts a batch in one transaction, row by row, so that a bad one fails alone. */
function insertEach({ database, retries }: Connected, batch: string, now: number): RowOutcome[] {
  const rows = database.query<Row, [string]>(
    `SELECT value ->> 0 AS name, value ->> 1 AS categoryId, value ->> 2 AS status,
            value ->> 3 AS owner, value ->> 4 AS key, value ->> 5 AS digest
     FROM json_each(?) ORDER BY json_each.key`,
  );
  const insert = database.query(`${INSERT} VALUES (?, ?, ?)`);
  const insertOne = database.transaction(
    ({ name, categoryId, status, owner, key, digest }: Row): RowOutcome => {
      const retry = owner !== null && key !== null && digest !== null ? { owner, key, digest } : undefined;
      const earlier = retry && retries.find(retry, now);
      if (earlier) return earlier.digest === digest ? { id: earlier.animalId.toString() } : { reused: true };
      const id = BigInt(insert.run(name, categoryId, status).lastInsertRowid);
      if (retry) retries.keep(retry, id, now);
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
