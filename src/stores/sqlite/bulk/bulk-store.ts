import type { Database } from "bun:sqlite";
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
import { incompleteCopy, UnusableStore } from "../../errors.ts";
import { attempt, connect, connectToWrite } from "../connection.ts";
import { feedStatus, setRecording } from "../feed.ts";
import { createFile, fileBehindLink } from "../file.ts";
import { assertStore, migrate, readSchemaVersion } from "../migrate.ts";
import { filesOpened, identityOf, OpenedFiles } from "../opened-files.ts";
import { changeInTurn, inTurn } from "../write-turn.ts";
import { receive, sourceUnderWay } from "./copy-target.ts";
import { SqliteCorrections } from "./corrections.ts";
import { findImport } from "./imports.ts";
import { SqliteSnapshot } from "./snapshot.ts";
import { STAGED_ANIMALS, STAGED_ORDERS } from "./staged-kinds.ts";
import { SqliteStaging, type StagedKind } from "./staging.ts";

/** A store in an SQLite file, for commands that read or change many animals. */
export class SqliteBulkStore implements BulkStore {
  readonly corrections: SqliteCorrections;
  readonly #file: string;
  readonly #database: Database;
  readonly #clock: () => number;
  readonly #emit: EventSink;
  readonly #files: OpenedFiles;

  /**
   * @param path the file, or a symbolic link to it
   * @param clock milliseconds since 1970
   * @param emit receives an event if the command has to wait for the write lock
   * @throws UnusableStore
   */
  static open(
    path: string,
    access: BulkAccess,
    clock: () => number,
    emit: EventSink,
  ): Promise<SqliteBulkStore> {
    const open = (lockWaitMs: number) => new SqliteBulkStore(path, access, clock, emit, lockWaitMs);
    return inTurn(open, emit);
  }

  private constructor(
    path: string,
    access: BulkAccess,
    clock: () => number,
    emit: EventSink,
    lockWaitMs: number,
  ) {
    if (access !== "write") assertStore(path);
    createFile(path);
    readSchemaVersion(path);
    const identity = identityOf(path);
    const file = fileBehindLink(path);
    this.#file = file;
    this.#clock = clock;
    this.#emit = emit;
    this.#database = access === "read" ? connect(file) : connectToWrite(file, lockWaitMs);
    try {
      migrate(this.#database, file, lockWaitMs);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#files = new OpenedFiles(filesOpened(identity, file));
    this.corrections = new SqliteCorrections(this.#database, this.#files, emit);
    if (access !== "write") this.#assertComplete();
  }

  async snapshot(): Promise<Snapshot> {
    return new SqliteSnapshot(connect(this.#file));
  }

  async stage(): Promise<Staging<IncomingAnimal>> {
    return this.#stage(STAGED_ANIMALS);
  }

  async stageOrders(): Promise<Staging<IncomingOrder>> {
    return this.#stage(STAGED_ORDERS);
  }

  #stage<Item extends { readonly id?: bigint }>(kind: StagedKind<Item>): Staging<Item> {
    this.#assertComplete();
    const database = this.#database;
    const place = { database, file: this.#file, files: this.#files, clock: this.#clock, emit: this.#emit };
    return attempt(database, () => new SqliteStaging(kind, place));
  }

  async feedStatus(): Promise<FeedStatus> {
    return attempt(this.#database, () => feedStatus(this.#database));
  }

  async stopRecording(): Promise<void> {
    await changeInTurn(this.#database, () => setRecording(this.#database, false), this.#emit);
    this.#files.assertCommitted();
  }

  async findImport(digest: string): Promise<ImportRecord | undefined> {
    return attempt(this.#database, () => findImport(this.#database, digest));
  }

  async receive(source: string): Promise<CopyTarget> {
    return receive(this.#database, source, this.#files, this.#emit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  #assertComplete(): void {
    if (sourceUnderWay(this.#database) !== undefined) throw new UnusableStore(incompleteCopy(this.#file));
  }
}
