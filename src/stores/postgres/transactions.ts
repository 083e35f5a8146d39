import type { Work } from "./connect/connection.ts";
import type { Pool } from "./connect/pool.ts";
import { isDeadlock } from "./errors.ts";

/** The number of attempts if transactions by hand get in the way of a write. */
const ATTEMPTS_MAX = 3;

/** What to do about ids that were taken by hand. */
interface Remedy {
  /** Whether a write was rolled back because of such an id. */
  isTaken(error: unknown): boolean;
  /** Raises the sequences beyond all ids that are there. */
  readonly raise: Work<unknown>;
}

/** The transactions of one batch. All its writes wait until each transaction is confirmed. */
export class Transactions {
  readonly #pool: Pool;
  readonly #remedy: Remedy;
  readonly #confirmed: Promise<void>[] = [];
  readonly #due: number;

  constructor(pool: Pool, remedy: Remedy) {
    this.#pool = pool;
    this.#remedy = remedy;
    this.#due = performance.now() + pool.deadlineMs;
  }

  /**
   * Commits a statement. Repeats it in place, while its clients still wait, if PostgreSQL has rolled it back because of a
   * transaction by hand: a deadlock, or an id that was taken. A write whose outcome is unknown is never repeated.
   *
   * @throws StoreFailure if it was not answered in time; whether the change was made is then unknown
   */
  async commit<Result>(statement: Work<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#commitOnce(statement);
      } catch (error) {
        const mayRepeat = isDeadlock(error) || this.#remedy.isTaken(error);
        if (attempt === ATTEMPTS_MAX || !mayRepeat) throw error;
        await this.#commitOnce(this.#remedy.raise);
        if (performance.now() > this.#due) throw error;
      }
    }
  }

  /** Resolves when all commits may be acknowledged; rejects if one of them must not be. */
  confirmed(): Promise<unknown> {
    return Promise.all(this.#confirmed);
  }

  async #commitOnce<Result>(statement: Work<Result>): Promise<Result> {
    const { result, confirmed } = await this.#pool.commit(statement);
    this.#confirmed.push(confirmed);
    return result;
  }
}
