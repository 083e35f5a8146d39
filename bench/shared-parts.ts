import { type Postgres, startOwnPostgres } from "../test/support/postgres.ts";
import { SqliteTemplates } from "./sqlite-templates.ts";

/** What the sides of one run share: made on first use, removed by `await using`. */
export class SharedParts implements AsyncDisposable {
  readonly sqlite = new SqliteTemplates();
  #postgres: Promise<Postgres> | undefined;

  /** A PostgreSQL with its default settings, so commits are durable. */
  postgres(): Promise<Postgres> {
    this.#postgres ??= startOwnPostgres();
    return this.#postgres;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A server that failed to start has cleaned up already.
    await (await this.#postgres?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }
}
