import type { Work } from "./connect/connection.ts";
import type { Pool } from "./connect/pool.ts";

/** The transactions of one batch: all its writes wait for the confirmation of each. */
export class Transactions {
  readonly #pool: Pool;
  readonly #confirmed: Promise<void>[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws StoreFailure where it was not answered in time; whether it was done is then not known */
  async commit<Result>(work: Work<Result>): Promise<Result> {
    const { result, confirmed } = await this.#pool.commit(work);
    this.#confirmed.push(confirmed);
    return result;
  }

  /** Resolves when all that was committed may be acknowledged; rejects where it may not. */
  confirmed(): Promise<unknown> {
    return Promise.all(this.#confirmed);
  }
}
