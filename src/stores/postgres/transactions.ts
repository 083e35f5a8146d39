import type { Work } from "./connect/connection.ts";
import type { Pool } from "./connect/pool.ts";

/** The transactions of one batch. All its writes wait until each transaction is confirmed. */
export class Transactions {
  readonly #pool: Pool;
  readonly #confirmed: Promise<void>[] = [];
  readonly #due: number;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#due = performance.now() + pool.deadlineMs;
  }

  /** Whether the batch has taken as long as a statement may. */
  get isOverdue(): boolean {
    return performance.now() > this.#due;
  }

  /** @throws StoreFailure if it was not answered in time; whether the change was made is then unknown */
  async commit<Result>(work: Work<Result>): Promise<Result> {
    const { result, confirmed } = await this.#pool.commit(work);
    this.#confirmed.push(confirmed);
    return result;
  }

  /** Resolves when all commits may be acknowledged; rejects if one of them must not be. */
  confirmed(): Promise<unknown> {
    return Promise.all(this.#confirmed);
  }
}
