import type { ApiKey, Scope } from "../domain/api-key.ts";

/** The columns of an API key, as both engines read them. A key that was not rotated from another starts its own line. */
export const KEY_COLUMNS =
  'id, coalesce(line, id) AS line, environment, name, scopes, created_at AS "createdAt", expires_at AS "expiresAt", ' +
  'revoked_at AS "revokedAt"';

export interface KeyRow extends Pick<ApiKey, "environment" | "name"> {
  readonly id: bigint;
  readonly line: bigint;
  /** A JSON array. */
  readonly scopes: string;
  readonly createdAt: bigint;
  readonly expiresAt: bigint | null;
  readonly revokedAt: bigint | null;
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
