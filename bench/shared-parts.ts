import { type Postgres, startOwnPostgres } from "../test/support/postgres.ts";
import { SqliteTemplates } from "./sqlite-templates.ts";

/** What the sides of one run share: made when it is first asked for, gone with `await using`. */
export class SharedParts implements AsyncDisposable {
  readonly sqlite = new SqliteTemplates();
  #postgres: Promise<Postgres> | undefined;

  /** A PostgreSQL from npm, with its default settings: what is committed is on the disk. */
  postgres(): Promise<Postgres> {
    this.#postgres ??= startOwnPostgres();
    return this.#postgres;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that did not start leaves nothing behind.
    await (await this.#postgres?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }
}
