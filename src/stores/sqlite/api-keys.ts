import type { Database, Statement } from "bun:sqlite";
import type { ApiKey, NewApiKey, Scope } from "../../domain/api-key.ts";
import type { Environment } from "../../domain/environment.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import type { StoredKey } from "../../domain/transfer.ts";

interface KeyRow {
  readonly id: bigint;
  readonly line: bigint;
  readonly environment: Environment;
  readonly name: string;
  readonly scopes: string;
  readonly createdAt: bigint;
  readonly expiresAt: bigint | null;
  readonly revokedAt: bigint | null;
}

/** A key that follows none is the first of its own line, and its column is empty. */
const LINE = "coalesce(line, id)";
const COLUMNS = `id, ${LINE} AS line, environment, name, scopes, created_at AS createdAt, expires_at AS expiresAt,
                 revoked_at AS revokedAt`;
const INSERT = "INSERT INTO api_key (hash, name, scopes, created_at, expires_at, environment, line)";

/** The API keys of a database. */
export class Keys {
  readonly #database: Database;
  readonly #find: Statement<KeyRow, [Uint8Array]>;

  constructor(database: Database) {
    this.#database = database;
    this.#find = database.prepare(`SELECT ${COLUMNS} FROM api_key WHERE hash = ?`);
  }

  find(hash: Uint8Array): ApiKey | undefined {
    return keyOf(this.#find.get(hash));
  }

  list(): ApiKey[] {
    const rows = this.#database.query<KeyRow, []>(`SELECT ${COLUMNS} FROM api_key ORDER BY id`).all();
    return rows.flatMap((row) => keyOf(row) ?? []);
  }

  add(key: NewApiKey): ApiKey {
    return this.#add(key, null);
  }

  addFirst(key: NewApiKey): boolean {
    return (
      this.#database
        .query(`${INSERT} SELECT ?, ?, ?, ?, ?, ?, NULL WHERE NOT EXISTS (SELECT 1 FROM api_key)`)
        .run(...valuesOf(key)).changes === 1
    );
  }

  revoke(id: number, at: number): ApiKey | undefined {
    return keyOf(
      this.#database
        .query<KeyRow, { id: number; at: number }>(
          `UPDATE api_key SET revoked_at = min(coalesce(revoked_at, $at), $at) WHERE id = $id RETURNING ${COLUMNS}`,
        )
        .get({ id, at }),
    );
  }

  /** Two steps, for a caller that holds the write lock. */
  replace(id: number, successor: NewApiKey, expiresAt: number): ApiKey | undefined {
    const replaced = this.#database
      .query<Pick<KeyRow, "line">, { id: number; at: number }>(
        `UPDATE api_key SET expires_at = min(coalesce(expires_at, $at), $at)
          WHERE id = $id AND NOT EXISTS (SELECT 1 FROM api_key AS later
                                          WHERE later.line = coalesce(api_key.line, api_key.id) AND later.id > $id)
         RETURNING ${LINE} AS line`,
      )
      .get({ id, at: expiresAt });
    return replaced ? this.#add(successor, replaced.line) : undefined;
  }

  #add(key: NewApiKey, line: bigint | null): ApiKey {
    const row = this.#database
      .query<KeyRow, [...Values, bigint | null]>(
        `${INSERT} VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
      )
      .get(...valuesOf(key), line);
    return keyOf(row) as ApiKey;
  }
}

/** Every key as it is stored, in the order of creation. */
export function storedKeys(database: Database): StoredKey[] {
  const rows = database
    .query<KeyRow & { hash: Uint8Array }, []>(`SELECT hash, ${COLUMNS} FROM api_key ORDER BY id`)
    .all();
  return rows.flatMap((row) => {
    const key = keyOf(row);
    return key ? { ...key, hash: row.hash } : [];
  });
}

/** Adds a key of another store, with its id. */
export function addStoredKey(database: Database, key: StoredKey): void {
  database
    .query(
      `INSERT INTO api_key (id, hash, name, scopes, created_at, expires_at, environment, line, revoked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(key.id, ...valuesOf(key), key.line === key.id ? null : key.line, key.revokedAt);
}

/** Lets a key that is stored already end when another record of it says so, if that is earlier; 1 if it was. */
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

type Values = [Uint8Array, string, string, number, number | null, Environment];

function valuesOf(key: NewApiKey): Values {
  return [key.hash, key.name, JSON.stringify(key.scopes), key.createdAt, key.expiresAt, key.environment];
}

function keyOf(row: KeyRow | null): ApiKey | undefined {
  if (row === null) return undefined;
  return {
    id: Number(row.id),
    line: Number(row.line),
    environment: row.environment,
    name: row.name,
    scopes: JSON.parse(row.scopes) as Scope[],
    createdAt: Number(row.createdAt),
    expiresAt: row.expiresAt === null ? null : Number(row.expiresAt),
    revokedAt: row.revokedAt === null ? null : Number(row.revokedAt),
  };
}
