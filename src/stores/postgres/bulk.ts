import type { EventSink } from "../../domain/event.ts";
import type { BulkStore, ImportRecord, Receiver, Snapshot, Staging } from "../../domain/transfer.ts";
import { halfCopied, MissingStore, UnusableStore } from "../unusable-store.ts";
import { BulkSession } from "./bulk-session.ts";
import { PostgresCorrections } from "./corrections.ts";
import { findImport } from "./imports.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { openPatientPool } from "./open-pool.ts";
import { receive } from "./receiver.ts";
import { assertRights } from "./rights.ts";
import { PostgresSnapshot } from "./snapshot.ts";
import { PostgresStaging } from "./staging.ts";

/** A PostgreSQL database, for commands that move many animals, on connections of their own. */
export class PostgresBulkStore implements BulkStore {
  readonly corrections: PostgresCorrections;
  readonly #url: string;
  readonly #emit: EventSink;
  readonly #session: BulkSession;
  readonly #clock: () => number;

  private constructor(url: string, session: BulkSession, clock: () => number, emit: EventSink) {
    this.#url = url;
    this.#emit = emit;
    this.#session = session;
    this.corrections = new PostgresCorrections(session);
    this.#clock = clock;
  }

  /**
   * @param access `read` asks for a store that exists and is whole; `write` makes one where there is none
   * @param clock milliseconds since 1970
   * @param emit told whom the work waits for
   * @throws UnusableStore
   */
  static async open(
    url: string,
    access: "read" | "write",
    clock: () => number,
    emit: EventSink,
  ): Promise<PostgresBulkStore> {
    const pool = await openPatientPool(url, emit);
    try {
      if (access === "read" && (await schemaVersion(pool)) === 0) throw new MissingStore(url);
      await migrate(pool, emit);
      await assertRights(pool, access);
    } finally {
      await pool.close();
    }
    const store = new PostgresBulkStore(url, await BulkSession.open(url, emit), clock, emit);
    if (access === "read") await store.#refuseHalfCopied();
    return store;
  }

  async snapshot(): Promise<Snapshot> {
    return PostgresSnapshot.begin(await BulkSession.open(this.#url, this.#emit));
  }

  async stage(): Promise<Staging> {
    await this.#refuseHalfCopied();
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

  async #refuseHalfCopied(): Promise<void> {
    const [begun] = await this.#session.run<unknown[]>(
      (sql) => sql`SELECT 1 FROM animal_store.copy_under_way`,
    );
    if (begun) throw new UnusableStore(halfCopied("the database"));
  }
}
