import type { Database } from "bun:sqlite";
import type { Animal } from "../../../domain/animal.ts";
import type { IdempotencyRecord, Snapshot, StoreMetadata } from "../../../domain/transfer.ts";
import { storedKeys } from "../api-keys.ts";
import { attempt } from "../connection.ts";
import { lastIdOf } from "../sequence.ts";
import { listCorrections } from "./corrections.ts";
import { listImports } from "./imports.ts";

const CHUNK = 5000;

/** A read transaction: it sees the store as it was when it began, and in WAL mode no writer waits for it. */
export class SqliteSnapshot implements Snapshot {
  readonly count: number;
  readonly #database: Database;

  /** @param database a connection of its own, closed with the snapshot */
  constructor(database: Database) {
    this.#database = database;
    database.run("BEGIN");
    const row = database.query<{ count: bigint }, []>("SELECT count(*) AS count FROM animal").get();
    this.count = Number(row?.count);
  }

  async *animals(after = 0n): AsyncGenerator<readonly Animal[]> {
    const query = this.#database.query<Animal, [bigint, number]>(
      "SELECT id, name, category_id AS categoryId, status FROM animal WHERE id > ? ORDER BY id LIMIT ?",
    );
    let last = after;
    let chunk: Animal[];
    do {
      chunk = this.#attempt(() => query.all(last, CHUNK));
      if (chunk.length > 0) yield chunk;
      last = chunk.at(-1)?.id ?? last;
    } while (chunk.length === CHUNK);
  }

  async *idempotencyRecords(since: number): AsyncGenerator<readonly IdempotencyRecord[]> {
    const query = this.#database.query<RecordRow, [number, bigint, string, number]>(
      `SELECT line, key, digest, animal_id AS animalId, created_at AS createdAt FROM idempotency_key
       WHERE created_at > ? AND (line, key) > (?, ?) ORDER BY line, key LIMIT ?`,
    );
    let last: Pick<RecordRow, "line" | "key"> = { line: 0n, key: "" };
    let chunk: RecordRow[];
    do {
      chunk = this.#attempt(() => query.all(since, last.line, last.key, CHUNK));
      if (chunk.length > 0) yield chunk.map(recordOf);
      last = chunk.at(-1) ?? last;
    } while (chunk.length === CHUNK);
  }

  async belongings(): Promise<StoreMetadata> {
    const database = this.#database;
    return this.#attempt(() => ({
      lastAnimalId: lastIdOf(database, "animal"),
      lastKeyId: Number(lastIdOf(database, "api_key")),
      keys: storedKeys(database),
      imports: listImports(database),
      corrections: listCorrections(database),
      cursorSecret: database
        .query<{ value: Uint8Array }, []>("SELECT value FROM secret WHERE name = 'cursor'")
        .get()?.value,
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  #attempt<Result>(work: () => Result): Result {
    return attempt(this.#database, work);
  }
}

interface RecordRow extends Omit<IdempotencyRecord, "line" | "createdAt"> {
  readonly line: bigint;
  readonly createdAt: bigint;
}

function recordOf(row: RecordRow): IdempotencyRecord {
  return { ...row, line: Number(row.line), createdAt: Number(row.createdAt) };
}
