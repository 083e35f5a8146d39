import type { Database, Statement } from "bun:sqlite";
import { attempt } from "./connection.ts";

/**
 * Runs several reads as one transaction: they see one state of the store, and SQLite locks its shared memory once for all
 * of them.
 */
export class ReadTransaction {
  readonly #database: Database;
  readonly #begin: Statement;
  readonly #commit: Statement;

  constructor(database: Database) {
    this.#database = database;
    this.#begin = database.prepare("BEGIN");
    this.#commit = database.prepare("COMMIT");
  }

  /**
   * @param work reads, and returns without waiting for anything; its transaction ends with it, also where it throws.
   *   Inside of another `run` it joins that one's transaction
   * @throws StoreFailure where the transaction cannot begin or end
   */
  run<Result>(work: () => Result): Result {
    if (this.#database.inTransaction) return work();
    attempt(this.#database, () => this.#begin.run());
    try {
      return work();
    } finally {
      // A read that failed may have ended it already.
      if (this.#database.inTransaction) attempt(this.#database, () => this.#commit.run());
    }
  }
}
