import type { Pool } from "./connect/pool.ts";

/** How often a sweep starts over, in milliseconds: rows may have come late, with values that it has passed. */
const START_OVER_MS = 60 * 60 * 1000;

/** How far a sweep has come: the greatest values of one or more columns among the rows that it has deleted. */
type Position = Readonly<Record<string, bigint>>;

type Deleted<Reached extends Position> = {
  readonly count: bigint | null;
} & {
  /** A value is `null` if no row was deleted. */
  readonly [Column in keyof Reached]: bigint | null;
};

/**
 * Deletes old rows in the order of an index, some at a time. Each step starts at the rows that the last one deleted: while
 * somebody holds a snapshot, deleted rows stay in the index, and a search from the start would pass all of them. A server
 * that takes over may lack deletions that its predecessor had committed, so there the sweep starts over; it also does so
 * once an hour.
 */
export class Sweep<Reached extends Position> {
  readonly #pool: Pool;
  readonly #text: string;
  readonly #start: Reached;
  readonly #monotonicClock: () => number;
  #epoch = 0;
  #startedAt = 0;
  #reached: Reached;

  /**
   * @param text deletes rows from the position on whose values are its first parameters, and returns a `Deleted`; it may
   *   have more parameters
   * @param start the position before all rows
   * @param monotonicClock milliseconds since any moment
   */
  constructor(pool: Pool, text: string, start: Reached, monotonicClock = () => performance.now()) {
    this.#pool = pool;
    this.#text = text;
    this.#start = start;
    this.#reached = start;
    this.#monotonicClock = monotonicClock;
  }

  /** Deletes a bounded number of rows; returns the `count` of the statement. */
  async step(...parameters: readonly unknown[]): Promise<number> {
    const now = this.#monotonicClock();
    const [row] = await this.#pool.write<Deleted<Reached>[]>((sql, epoch) => {
      if (epoch !== this.#epoch || now - this.#startedAt >= START_OVER_MS) {
        this.#epoch = epoch;
        this.#startedAt = now;
        this.#reached = this.#start;
      }
      return sql.unsafe(this.#text, [...Object.values(this.#reached), ...parameters]);
    });
    const columns = Object.entries(this.#reached).map(([column, value]) => [column, row?.[column] ?? value]);
    this.#reached = Object.fromEntries(columns) as Reached;
    return Number(row?.count ?? 0n);
  }
}
