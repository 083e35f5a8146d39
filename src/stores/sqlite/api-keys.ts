import type { Database, Statement } from "bun:sqlite";
import type { ApiKey, ListedKey, NewApiKey } from "../../domain/api-key.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import type { StoredKey } from "../../domain/transfer.ts";
import { namesOf, type RowOf, valuesOf, type Written } from "../table.ts";
import { API_KEY, LISTED_KEY, NEW_KEY, STORED_KEY } from "../tables.ts";
import { insertRows } from "./insert-rows.ts";

const LIST = `SELECT ${LISTED_KEY.selection} FROM api_key LEFT JOIN key_use ON key_id = id ORDER BY id`;

type KeyRow = RowOf<ApiKey>;

const INSERT = `INSERT INTO api_key (${namesOf(NEW_KEY.columns)})`;

const MARKS = NEW_KEY.columns.map(() => "?");

const ADD = `${INSERT} VALUES (${MARKS}) RETURNING ${API_KEY.selection}`;

const ADD_FIRST = `${INSERT} SELECT ${MARKS} WHERE NOT EXISTS (SELECT 1 FROM api_key)`;

const REVOKE = `
  UPDATE api_key SET revoked_at = min(coalesce(revoked_at, $at), $at) WHERE id = $id RETURNING ${API_KEY.selection}`;

/** Lets a key expire, unless it has a successor. */
const EXPIRE = `
  UPDATE api_key SET expires_at = min(coalesce(expires_at, $at), $at)
   WHERE id = $id AND NOT EXISTS (SELECT 1 FROM api_key AS later
                                   WHERE later.line = coalesce(api_key.line, api_key.id) AND later.id > $id)
  RETURNING coalesce(line, id) AS line`;

/** The API keys of a database. */
export class Keys {
  readonly #database: Database;
  readonly #find: Statement<KeyRow, [Uint8Array]>;

  constructor(database: Database) {
    this.#database = database;
    this.#find = database.prepare(`SELECT ${API_KEY.selection} FROM api_key WHERE hash = ?`);
  }

  find(hash: Uint8Array): ApiKey | undefined {
    const row = this.#find.get(hash);
    return row ? API_KEY.parse(row) : undefined;
  }

  list(): ListedKey[] {
    return this.#database.query<RowOf<ListedKey>, []>(LIST).all().map(LISTED_KEY.parse);
  }

  add(key: NewApiKey, line: bigint | null = null): ApiKey {
    const query = this.#database.query<KeyRow, Written[]>(ADD);
    return API_KEY.parse(query.get(...valuesOf(NEW_KEY.columns, { ...key, line })) as KeyRow);
  }

  addFirst(key: NewApiKey): boolean {
    const values = valuesOf(NEW_KEY.columns, { ...key, line: null });
    return this.#database.query(ADD_FIRST).run(...values).changes === 1;
  }

  revoke(id: number, at: number): ApiKey | undefined {
    const row = this.#database.query<KeyRow, End>(REVOKE).get({ id, at });
    return row ? API_KEY.parse(row) : undefined;
  }

  /** Takes two statements, so the caller holds the write lock. */
  replace(id: number, successor: NewApiKey, expiresAt: number): ApiKey | undefined {
    const query = this.#database.query<Pick<KeyRow, "line">, End>(EXPIRE);
    const replaced = query.get({ id, at: expiresAt });
    return replaced ? this.add(successor, replaced.line) : undefined;
  }
}

/**
 * Records the last uses of keys, under the write lock.
 *
 * @param uses a JSON array of `[id, day]`
 */
export function recordKeyUses(database: Database, uses: string): void {
  database
    .query(
      `INSERT INTO key_use (key_id, day) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
           ON CONFLICT (key_id) DO UPDATE SET day = excluded.day WHERE day < excluded.day`,
    )
    .run(uses);
}

/** All keys as they are stored, in the order of their creation. */
export function storedKeys(database: Database): StoredKey[] {
  return database
    .query<RowOf<StoredKey>, []>(`SELECT ${STORED_KEY.selection} FROM api_key ORDER BY id`)
    .all()
    .map(STORED_KEY.parse);
}

/** Adds a key of another store, with its id. */
export function addStoredKey(database: Database, key: StoredKey): void {
  insertRows(database, "api_key", STORED_KEY.columns, [key]);
}

/** Ends a stored key when another record of it does, if that is earlier. Returns 1 if it changed the key, otherwise 0. */
export function endEarlier(database: Database, { hash, expiresAt, revokedAt }: StoredKey): number {
  return database
    .query<unknown, { hash: Uint8Array; expiresAt: number | null; revokedAt: number | null; never: bigint }>(
      `UPDATE api_key SET revoked_at = coalesce(min(revoked_at, $revokedAt), revoked_at, $revokedAt),
                          expires_at = coalesce(min(expires_at, $expiresAt), expires_at, $expiresAt)
        WHERE hash = $hash AND (coalesce($revokedAt, $never) < coalesce(revoked_at, $never)
                             OR coalesce($expiresAt, $never) < coalesce(expires_at, $never))`,
    )
    .run({ hash, expiresAt, revokedAt, never: INT64_MAX }).changes;
}

type End = { readonly id: number; readonly at: number };
