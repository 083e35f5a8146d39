// The writer thread of an SQLite store: batches of creates come in, one at a time, each as one JSON
// text, since one string is the cheapest message there is; SQLite itself reads that text.
import type { Database } from "bun:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { connect, isCircumstance } from "./connection.ts";

/** The answer to a batch, as JSON: int64s are strings. */
export type WriterReply =
  /** All were stored, with consecutive ids from this one on. */
  | { readonly first: string }
  /** SQLite refused some: each was stored, or not, by itself. */
  | { readonly each: readonly { readonly id?: string; readonly refused?: string }[] }
  /** None was stored; `passing` when the cause is the store's circumstances, not a mistake of ours. */
  | { readonly error: string; readonly passing: boolean };

const file = workerData as string;
let database: Database | undefined;

parentPort?.on("message", (batch: string) => parentPort?.postMessage(JSON.stringify(write(batch))));

function write(batch: string): WriterReply {
  try {
    database ??= connect(file);
    return { first: insert(database, batch).toString() };
  } catch (error) {
    if (database && isRefusal(error)) return { each: insertEach(database, batch) };
    return { error: String(error), passing: isCircumstance(error) };
  }
}

/** Inserts a batch in one transaction and returns the first id; SQLite gives consecutive ones. */
function insert(database: Database, batch: string): bigint {
  const { changes, lastInsertRowid } = database
    .query(
      `INSERT INTO animal (name, category_id, status)
       SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) ORDER BY key`,
    )
    .run(batch);
  return BigInt(lastInsertRowid) - BigInt(changes) + 1n;
}

/** A batch that SQLite refuses as a whole: each row by itself, so that a bad one fails alone. */
function insertEach(database: Database, batch: string): { id?: string; refused?: string }[] {
  const rows = database
    .query<{ row: string }, [string]>("SELECT '[' || value || ']' AS row FROM json_each(?) ORDER BY key")
    .all(batch);
  return database
    .transaction(() =>
      rows.map(({ row }) => {
        try {
          return { id: insert(database, row).toString() };
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
