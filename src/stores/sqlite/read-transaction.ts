import type { Database, Statement } from "bun:sqlite";
import { attempt } from "./connection.ts";

/**
 * Runs several reads as one transaction: they see one state of the store, and SQLite locks its shared memory only once.
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
   * @param work reads without awaiting anything; the transaction ends with it, even if it throws. Within another `run` it
   *   joins the transaction of that `run`
   * @throws StoreFailure if the transaction cannot begin or end
   */
  run<Result>(work: () => Result): Result {
    if (this.#database.inTransaction) return work();
    attempt(this.#database, () => this.#begin.run());
    try {
      return work();
    } finally {
      // A failed read may have ended the transaction already.
      if (this.#database.inTransaction) attempt(this.#database, () => this.#commit.run());
    }
  }
}
