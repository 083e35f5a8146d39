import type { BulkStore, ImportRecord, Receiver, Snapshot, Staging } from "../../domain/transfer.ts";
import { BulkSession } from "./bulk-session.ts";
import { findImport } from "./imports.ts";
import { migrate } from "./migrate.ts";
import { openPool } from "./open-pool.ts";
import { receive } from "./receiver.ts";
import { PostgresSnapshot } from "./snapshot.ts";
import { PostgresStaging } from "./staging.ts";

/** A PostgreSQL database, for commands that move many animals, on connections of their own. */
export class PostgresBulkStore implements BulkStore {
  readonly #url: string;
  readonly #session: BulkSession;
  readonly #clock: () => number;

  private constructor(url: string, session: BulkSession, clock: () => number) {
    this.#url = url;
    this.#session = session;
    this.#clock = clock;
  }

  /**
   * @param clock milliseconds since 1970
   * @throws UnusableStore
   */
  static async open(url: string, clock: () => number): Promise<PostgresBulkStore> {
    const pool = await openPool(url);
    try {
      await migrate(pool);
    } finally {
      await pool.close();
    }
    return new PostgresBulkStore(url, await BulkSession.open(url), clock);
  }

  async snapshot(): Promise<Snapshot> {
    return PostgresSnapshot.begin(await BulkSession.open(this.#url));
  }

  stage(): Promise<Staging> {
    return PostgresStaging.begin(this.#session, this.#clock);
  }

  findImport(digest: string): Promise<ImportRecord | undefined> {
    return findImport(this.#session, digest);
  }

  receive(source: string): Promise<Receiver> {
    return receive(this.#session, source);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
