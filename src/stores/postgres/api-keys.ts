import type { SQL } from "bun";
import type { ApiKey, KeyUseDays, ListedKey, NewApiKey } from "../../domain/api-key.ts";
import type { ObservationSink } from "../../observations/observation.ts";
import { namesOf, type RowOf, valuesOf } from "../table.ts";
import { API_KEY, LISTED_KEY, NEW_KEY } from "../tables.ts";
import type { Pool } from "./connect/pool.ts";
import type { ReadBatcher } from "./read-batcher.ts";
import { readOrNameHolders } from "./read-or-name-holders.ts";

const FIND = `SELECT ${API_KEY.selection} FROM animal_store.api_key WHERE hash = $1`;

const LIST = `
  SELECT ${LISTED_KEY.selection} FROM animal_store.api_key LEFT JOIN animal_store.key_use ON key_id = id ORDER BY id`;

type KeyRow = RowOf<ApiKey>;

/** In the order of the ids, so that two instances never wait for each other. */
const RECORD_USES = `
  INSERT INTO animal_store.key_use (key_id, day)
  SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS used (key_id, day) ORDER BY key_id
      ON CONFLICT (key_id) DO UPDATE SET day = excluded.day WHERE key_use.day < excluded.day`;

const INSERT = `
  INSERT INTO animal_store.api_key (${namesOf(NEW_KEY.columns)})
  VALUES (${NEW_KEY.columns.map(({ type }, at) => `$${at + 1}::${type}`)}) RETURNING ${API_KEY.selection}`;

const REVOKE = `
  UPDATE animal_store.api_key SET revoked_at = least(revoked_at, $2::bigint) WHERE id = $1 RETURNING ${API_KEY.selection}`;

/** The API keys of a database. A trigger raises their revision with every change of them. */
export class Keys {
  readonly #pool: Pool;
  readonly #reads: ReadBatcher;
  readonly #emit: ObservationSink;

  constructor(pool: Pool, reads: ReadBatcher, emit: ObservationSink) {
    this.#pool = pool;
    this.#reads = reads;
    this.#emit = emit;
  }

  async find(hash: Uint8Array): Promise<ApiKey | undefined> {
    const [row] = await this.#reads.run<KeyRow[]>((sql) => sql.unsafe(FIND, [hash]));
    return row && API_KEY.parse(row);
  }

  async list(): Promise<ListedKey[]> {
    const name = "the list of the keys";
    const rows = await readOrNameHolders<RowOf<ListedKey>[]>(this.#pool, name, this.#emit, (sql) =>
      sql.unsafe(LIST),
    );
    return rows.map(LISTED_KEY.parse);
  }

  async recordUses(uses: KeyUseDays): Promise<void> {
    await this.#pool.write((sql) => {
      const values = [[...uses.keys()], [...uses.values()]].map((column) => sql.array(column, "BIGINT"));
      return sql.unsafe(RECORD_USES, values);
    });
  }

  async add(key: NewApiKey): Promise<ApiKey> {
    const [row] = await this.#change((transaction) => insert(transaction, key));
    return API_KEY.parse(row as KeyRow);
  }

  async addFirst(key: NewApiKey): Promise<boolean> {
    const added = await this.#change(async (transaction) => {
      const [earlier] = await transaction`SELECT 1 FROM animal_store.api_key ORDER BY id LIMIT 1`;
      return earlier ? [] : insert(transaction, key);
    });
    return added.length === 1;
  }

  async revoke(id: number, at: number): Promise<ApiKey | undefined> {
    const [row] = await this.#change((transaction) => transaction.unsafe(REVOKE, [id, at]));
    return row && API_KEY.parse(row);
  }

  async replace(id: number, successor: NewApiKey, expiresAt: number): Promise<ApiKey | undefined> {
    const [row] = await this.#change(async (transaction) => {
      const [old] = await transaction<{ line: bigint }[]>`
        UPDATE animal_store.api_key SET expires_at = least(expires_at, ${expiresAt}::bigint)
         WHERE id = ${id} AND NOT EXISTS (SELECT 1 FROM animal_store.api_key AS later
                                           WHERE later.line = coalesce(api_key.line, api_key.id) AND later.id > ${id})
        RETURNING coalesce(line, id) AS line`;
      return old ? insert(transaction, successor, old.line) : [];
    });
    return row && API_KEY.parse(row);
  }

  /** The lock on the row of `state` allows one change of the keys at a time, and no create meanwhile. */
  #change(work: (transaction: SQL) => PromiseLike<KeyRow[]>): Promise<KeyRow[]> {
    return this.#pool.write((sql) =>
      sql.begin(async (transaction) => {
        await transaction`SELECT FROM animal_store.state WHERE single FOR UPDATE`;
        return await work(transaction);
      }),
    );
  }
}

function insert(transaction: SQL, key: NewApiKey, line: bigint | null = null): PromiseLike<KeyRow[]> {
  return transaction.unsafe(INSERT, valuesOf(NEW_KEY.columns, { ...key, line }));
}
