import type { Database, Statement } from "bun:sqlite";
import { attempt } from "../connection.ts";

/** How often a database has changed otherwise than by appended animals: see the table `revision`. */
export interface Counted {
  readonly rewrite: bigint;
  readonly keys: bigint;
  /** Triggers count, which are part of the schema: under another one, other changes may have been made. */
  readonly schema: bigint;
}

/** The counts that a database keeps of its own changes, by any program. */
export class ChangeCounters {
  readonly #database: Database;
  readonly #read: Statement<Counted, []>;

  constructor(database: Database) {
    this.#database = database;
    this.#read = database.prepare(
      "SELECT rewrites AS rewrite, keys, schema_version AS schema FROM revision, pragma_schema_version",
    );
  }

  /** `undefined` where that cannot be told: who reads anything else is told why. */
  read(): Counted | undefined {
    try {
      return attempt(this.#database, () => this.#read.get()) ?? undefined;
    } catch {
      return undefined;
    }
  }
}
