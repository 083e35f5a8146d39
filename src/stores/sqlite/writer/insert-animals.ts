import type { Database } from "bun:sqlite";
import type { CreateOutcome } from "../../create.ts";
import { namesOf, type Written } from "../../table.ts";
import { NEW_ANIMAL } from "../../tables.ts";
import { isRefusal } from "../errors.ts";
import type { IdempotencyRecords } from "../idempotency-keys.ts";

/** The outcome of a batch: all animals were stored, with consecutive ids from `first` on, or each has its own outcome. */
export type Inserted =
  | { readonly first: bigint; readonly count: number }
  | { readonly each: readonly CreateOutcome[] };

const INSERT = `INSERT INTO animal (${namesOf(NEW_ANIMAL)})`;

const INSERT_SELECTED = `${INSERT} SELECT ${NEW_ANIMAL.map((_, at) => `value ->> ${at}`)} FROM json_each(?)`;

/** `json_each` gives its rows in this order; an order by `key`, which has the same values, would sort them. */
const IN_ORDER = "ORDER BY json_each.rowid";

const INSERT_ALL = `${INSERT_SELECTED} ${IN_ORDER}`;
const INSERT_UNLESS_RECORDING = `${INSERT_SELECTED} WHERE NOT (SELECT recording FROM feed) ${IN_ORDER}`;

/**
 * Inserts a batch if the store records no events. A single statement is its own transaction; for a batch of one animal
 * that saves a quarter of the time of a transaction that looks at the feed first. Returns `undefined` if nothing was
 * inserted, since events are recorded or SQLite refuses a row.
 */
export function insertUnlessRecording(database: Database, rows: string): Inserted | undefined {
  try {
    const inserted = insertSelected(database, INSERT_UNLESS_RECORDING, rows);
    return inserted.count > 0 ? inserted : undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

/** Inserts a batch with one statement, within a transaction. If SQLite refuses it, inserts each row by itself. */
export function insertAll(database: Database, idempotency: IdempotencyRecords, rows: string): Inserted {
  try {
    return insertSelected(database, INSERT_ALL, rows);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return insertEach(database, idempotency, rows, 0);
  }
}

function insertSelected(database: Database, statement: string, rows: string) {
  const { changes, lastInsertRowid } = database.query(statement).run(rows);
  return { first: BigInt(lastInsertRowid) - BigInt(changes) + 1n, count: changes };
}

/** The idempotency key of a create, if any, and the values of its animal. */
type Row = [line: bigint | null, key: string | null, digest: string | null, ...animal: Written[]];

const ROWS = `
  SELECT ${["line", "key", "digest"].map((name, at) => `value ->> ${NEW_ANIMAL.length + at} AS ${name}`)},
         ${NEW_ANIMAL.map(({ name }, at) => `value ->> ${at} AS ${name}`)}
    FROM json_each(?) ${IN_ORDER}`;

/** Inserts a batch row by row, within a transaction, so that a bad row fails alone. */
export function insertEach(
  database: Database,
  idempotency: IdempotencyRecords,
  batch: string,
  now: number,
): Inserted {
  const rows = database.query<unknown, [string]>(ROWS);
  const insert = database.query(`${INSERT} VALUES (${NEW_ANIMAL.map(() => "?")})`);
  const insertOne = database.transaction(([line, key, digest, ...animal]: Row): CreateOutcome => {
    const claim = line !== null && key !== null && digest !== null ? { line, key, digest } : undefined;
    const earlier = claim && idempotency.find(claim, now);
    if (earlier) {
      const same = earlier.digest === digest && earlier.orderId === null;
      return same ? { id: earlier.animalId, replayed: true } : { reused: true };
    }
    const id = BigInt(insert.run(...animal).lastInsertRowid);
    if (claim) idempotency.keep(claim, id, null, now);
    return { id };
  });
  const each = rows.values(batch).map((row) => {
    try {
      return insertOne(row as Row);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { refused: String(error) };
    }
  });
  return { each };
}

/** The first and last ids of the new animals, if any. The batch holds the write lock, so the ids have no gaps. */
export function idsOf(inserted: Inserted): { readonly first: bigint; readonly last: bigint } | undefined {
  if ("first" in inserted) {
    const { first, count } = inserted;
    return { first, last: first + BigInt(count) - 1n };
  }
  const ids = inserted.each.flatMap((outcome) => ("id" in outcome && !outcome.replayed ? [outcome.id] : []));
  const [first] = ids;
  const last = ids.at(-1);
  return first === undefined || last === undefined ? undefined : { first, last };
}
