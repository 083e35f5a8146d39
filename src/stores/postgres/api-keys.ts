import type { SQL } from "bun";
import type { ApiKey, NewApiKey, Scope } from "../../domain/api-key.ts";
import type { Environment } from "../../domain/environment.ts";
import type { Pool } from "./connect/pool.ts";
import type { ReadBatcher } from "./read-batcher.ts";

export interface KeyRow {
  readonly id: bigint;
  /** Empty for a key that follows none. */
  readonly line: bigint | null;
  readonly environment: Environment;
  readonly name: string;
  readonly scopes: string;
  readonly created_at: bigint;
  readonly expires_at: bigint | null;
  readonly revoked_at: bigint | null;
}

/** The API keys of a database. A trigger moves their revision with every change of them. */
export class Keys {
  readonly #pool: Pool;
  readonly #reads: ReadBatcher;

  constructor(pool: Pool, reads: ReadBatcher) {
    this.#pool = pool;
    this.#reads = reads;
  }

  async find(hash: Uint8Array): Promise<ApiKey | undefined> {
    const [row] = await this.#reads.run<KeyRow[]>(
      (sql) => sql`SELECT id, line, environment, name, scopes, created_at, expires_at, revoked_at
                     FROM animal_store.api_key WHERE hash = ${hash}`,
    );
    return row && keyOf(row);
  }

  async list(): Promise<ApiKey[]> {
    const rows = await this.#pool.read<KeyRow[]>(
      (sql) => sql`SELECT id, line, environment, name, scopes, created_at, expires_at, revoked_at
                     FROM animal_store.api_key ORDER BY id`,
    );
    return rows.map(keyOf);
  }

  async add(key: NewApiKey): Promise<ApiKey> {
    const [row] = await this.#change((transaction) => insert(transaction, key));
    return keyOf(row as KeyRow);
  }

  async addFirst(key: NewApiKey): Promise<boolean> {
    const added = await this.#change(async (transaction) => {
      const [earlier] = await transaction`SELECT 1 FROM animal_store.api_key ORDER BY id LIMIT 1`;
      return earlier ? [] : insert(transaction, key);
    });
    return added.length === 1;
  }

  async revoke(id: number, at: number): Promise<ApiKey | undefined> {
    const [row] = await this.#change(
      (
        transaction,
      ) => transaction`UPDATE animal_store.api_key SET revoked_at = least(revoked_at, ${at}::bigint)
                                    WHERE id = ${id}
                                RETURNING id, line, environment, name, scopes, created_at, expires_at, revoked_at`,
    );
    return row && keyOf(row);
  }

  async replace(id: number, successor: NewApiKey, expiresAt: number): Promise<ApiKey | undefined> {
    const [row] = await this.#change(async (transaction) => {
      const [old] = await transaction<{ line: bigint }[]>`UPDATE animal_store.api_key
                                         SET expires_at = least(expires_at, ${expiresAt}::bigint)
                                       WHERE id = ${id} AND NOT EXISTS (
                                               SELECT 1 FROM animal_store.api_key AS later
                                                WHERE later.line = coalesce(api_key.line, api_key.id) AND later.id > ${id})
                                   RETURNING coalesce(line, id) AS line`;
      return old ? insert(transaction, successor, old.line) : [];
    });
    return row && keyOf(row);
  }

  /** The lock of the state's row lets one change of the keys be made at a time, and no create beside it. */
  #change(work: (transaction: SQL) => PromiseLike<KeyRow[]>): Promise<KeyRow[]> {
    return this.#pool.write((sql) =>
      sql.begin(async (transaction) => {
        await transaction`SELECT FROM animal_store.state WHERE single FOR UPDATE`;
        return await work(transaction);
      }),
    );
  }
}

function insert(
  transaction: SQL,
  { hash, environment, name, scopes, createdAt, expiresAt }: NewApiKey,
  line: bigint | null = null,
): PromiseLike<KeyRow[]> {
  return transaction`
    INSERT INTO animal_store.api_key (hash, environment, name, scopes, created_at, expires_at, line)
    VALUES (${hash}, ${environment}, ${name}, ${JSON.stringify(scopes)}, ${createdAt}::bigint, ${expiresAt}::bigint, ${line}::bigint)
    RETURNING id, line, environment, name, scopes, created_at, expires_at, revoked_at`;
}

export function keyOf(row: KeyRow): ApiKey {
  return {
    id: Number(row.id),
    line: Number(row.line ?? row.id),
    environment: row.environment,
    name: row.name,
    scopes: JSON.parse(row.scopes) as Scope[],
    createdAt: Number(row.created_at),
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
  };
}
