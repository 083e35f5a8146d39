import type { ApiKey, ListedKey, Scope } from "../domain/api-key.ts";

/** The columns of an API key, as both engines read them. A key that was not rotated from another starts its own line. */
export const KEY_COLUMNS =
  'id, coalesce(line, id) AS line, environment, name, scopes, created_at AS "createdAt", expires_at AS "expiresAt", ' +
  'revoked_at AS "revokedAt"';

/** The list of all keys of a store, whose schema comes before the names of its tables. */
export function listKeys(schema: string): string {
  return `SELECT ${KEY_COLUMNS}, day AS "lastUsedDay"
            FROM ${schema}api_key LEFT JOIN ${schema}key_use ON key_id = id ORDER BY id`;
}

export interface KeyRow extends Pick<ApiKey, "environment" | "name"> {
  readonly id: bigint;
  readonly line: bigint;
  /** A JSON array. */
  readonly scopes: string;
  readonly createdAt: bigint;
  readonly expiresAt: bigint | null;
  readonly revokedAt: bigint | null;
}

/** A row of a list, which has the key's last use too. */
export interface ListedKeyRow extends KeyRow {
  readonly lastUsedDay: bigint | null;
}

export function listedKeyOf(row: ListedKeyRow): ListedKey {
  return { ...keyOf(row), lastUsedDay: row.lastUsedDay === null ? null : Number(row.lastUsedDay) };
}

export function keyOf({ id, line, environment, name, scopes, ...times }: KeyRow): ApiKey {
  return {
    id: Number(id),
    line: Number(line),
    environment,
    name,
    scopes: JSON.parse(scopes) as Scope[],
    createdAt: Number(times.createdAt),
    expiresAt: times.expiresAt === null ? null : Number(times.expiresAt),
    revokedAt: times.revokedAt === null ? null : Number(times.revokedAt),
  };
}
