import type { Database, Statement } from "bun:sqlite";
import { attempt } from "../connection.ts";

/** How often a database has changed, not counting appended animals: see the table `revision`. */
export interface Counted {
  readonly rewrite: bigint;
  readonly keys: bigint;
  /** Triggers do the counting. If the schema changed in between, they may have been missing, and changes uncounted. */
  readonly schema: bigint;
}

/** The counts that a database keeps of its changes, whichever program makes them. */
export class ChangeCounters {
  readonly #database: Database;
  readonly #read: Statement<Counted, []>;

  constructor(database: Database) {
    this.#database = database;
    this.#read = database.prepare(
      "SELECT rewrites AS rewrite, keys, schema_version AS schema FROM revision, pragma_schema_version",
    );
  }

  /** `undefined` if the database cannot be read now. The next read of anything else reports why. */
  read(): Counted | undefined {
    try {
      return attempt(this.#database, () => this.#read.get()) ?? undefined;
    } catch {
      return undefined;
    }
  }
}
