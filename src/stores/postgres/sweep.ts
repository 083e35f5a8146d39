import type { Pool } from "./connect/pool.ts";

interface Deleted {
  readonly count: bigint | null;
  /** The id of the last deleted row; `null` if there was none. */
  readonly last: bigint | null;
}

/**
 * Deletes old rows in the order of their ids, some at a time. Each step starts after the row that the last one deleted:
 * while somebody holds a snapshot, deleted rows stay in the index, and a search from the start would pass all of them. A
 * server that takes over may lack deletions that its predecessor had committed, so there the sweep starts over.
 */
export class Sweep {
  readonly #pool: Pool;
  readonly #text: string;
  #epoch = 0;
  #deletedThrough = 0n;

  /** @param text deletes rows with ids above `$1`, and returns a `Deleted`; it may have more parameters */
  constructor(pool: Pool, text: string) {
    this.#pool = pool;
    this.#text = text;
  }

  /** Deletes a bounded number of rows; returns the `count` of the statement. */
  async step(...parameters: readonly unknown[]): Promise<number> {
    let epoch = 0;
    const [row] = await this.#pool.write<Deleted[]>((sql, serverEpoch) => {
      epoch = serverEpoch;
      const after = epoch === this.#epoch ? this.#deletedThrough : 0n;
      return sql.unsafe(this.#text, [after, ...parameters]);
    });
    if (row?.last != null) {
      this.#epoch = epoch;
      this.#deletedThrough = row.last;
    }
    return Number(row?.count ?? 0n);
  }
}
