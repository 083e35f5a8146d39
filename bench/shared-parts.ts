import { type Servers, startServers } from "../test/support/postgres/with-standbys.ts";
import { type Postgres, startOwnPostgres } from "../test/support/postgres.ts";
import { SqliteTemplates } from "./sqlite-templates.ts";

/** What the sides of one run share: made on first use, removed by `await using`. */
export class SharedParts implements AsyncDisposable {
  readonly sqlite = new SqliteTemplates();
  #postgres: Promise<Postgres> | undefined;
  #servers: Promise<Servers> | undefined;

  /** A PostgreSQL with its default settings, so commits are durable. */
  postgres(): Promise<Postgres> {
    this.#postgres ??= startOwnPostgres();
    return this.#postgres;
  }

  /** A primary and two standbys of the distribution's PostgreSQL, which wait for no disk. */
  servers(): Promise<Servers> {
    this.#servers ??= startServers();
    return this.#servers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const started of [this.#postgres, this.#servers]) {
      // A server that failed to start has cleaned up already.
      await (await started?.catch(() => undefined))?.[Symbol.asyncDispose]();
    }
  }
}
