import type { EventSink } from "../../../domain/event.ts";
import type {
  BulkAccess,
  BulkStore,
  CopyTarget,
  FeedStatus,
  ImportRecord,
  IncomingAnimal,
  IncomingOrder,
  Snapshot,
  Staging,
} from "../../../domain/transfer.ts";
import { incompleteCopy, MissingStore, UnusableStore } from "../../errors.ts";
import { openPatientPool } from "../connect/open-pool.ts";
import { migrate, schemaVersion } from "../migrate.ts";
import { assertRights } from "../rights.ts";
import { receive } from "./copy-target.ts";
import { PostgresCorrections } from "./corrections.ts";
import { feedStatus } from "./events.ts";
import { findImport } from "./imports.ts";
import { BulkSession } from "./session.ts";
import { PostgresSnapshot } from "./snapshot.ts";
import { STAGED_ANIMALS, STAGED_ORDERS } from "./staged-kinds.ts";
import { PostgresStaging, type StagedKind } from "./staging.ts";

/** A store in a PostgreSQL database, for commands that read or change many animals. */
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
   * @param clock milliseconds since 1970
   * @param emit receives an event if the work has to wait for others
   * @throws UnusableStore
   */
  static async open(
    url: string,
    access: BulkAccess,
    clock: () => number,
    emit: EventSink,
  ): Promise<PostgresBulkStore> {
    const pool = await openPatientPool(url, emit);
    try {
      if (access !== "write" && (await schemaVersion(pool)) === 0) throw new MissingStore(url);
      await migrate(pool, emit);
      await assertRights(pool, access === "read" ? "read" : "write");
    } finally {
      await pool.close();
    }
    const store = new PostgresBulkStore(url, await BulkSession.open(url, emit), clock, emit);
    try {
      if (access !== "write") await store.#assertComplete();
      return store;
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
  }

  async snapshot(): Promise<Snapshot> {
    return PostgresSnapshot.begin(await BulkSession.open(this.#url, this.#emit));
  }

  stage(): Promise<Staging<IncomingAnimal>> {
    return this.#stage(STAGED_ANIMALS);
  }

  stageOrders(): Promise<Staging<IncomingOrder>> {
    return this.#stage(STAGED_ORDERS);
  }

  async #stage<Item extends { readonly id?: bigint }>(kind: StagedKind<Item>): Promise<Staging<Item>> {
    await this.#assertComplete();
    return PostgresStaging.begin(kind, this.#session, this.#clock);
  }

  feedStatus(): Promise<FeedStatus> {
    return feedStatus(this.#session);
  }

  async stopRecording(): Promise<void> {
    await this.#session.run((sql) => sql`SELECT animal_store.record_events(false)`);
  }

  findImport(digest: string): Promise<ImportRecord | undefined> {
    return findImport(this.#session, digest);
  }

  receive(source: string): Promise<CopyTarget> {
    return receive(this.#session, source);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#session.close();
  }

  async #assertComplete(): Promise<void> {
    const [begun] = await this.#session.run<unknown[]>(
      (sql) => sql`SELECT 1 FROM animal_store.incomplete_copy`,
    );
    if (begun) throw new UnusableStore(incompleteCopy("the database"));
  }
}
