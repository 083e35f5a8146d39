import type { Database } from "bun:sqlite";
import type { NewAnimal, ReadAnimal } from "../../domain/animal.ts";
import type { ApiKey, NewApiKey } from "../../domain/api-key.ts";
import type { EventPage, EventQuery } from "../../domain/change-event.ts";
import type { EventSink } from "../../domain/event.ts";
import { IDEMPOTENCY_TTL_MS, type Idempotency } from "../../domain/idempotency.ts";
import type { CommitObserver } from "../../domain/observation.ts";
import type { Order, OrderQuery, OrderStatus } from "../../domain/order.ts";
import type { Page, PageQuery } from "../../domain/page.ts";
import { holdsUnder, type Revision } from "../../domain/revision.ts";
import { type Added, KeysChanged, type Placed, type Updated } from "../../domain/store.ts";
import type { Create } from "../create.ts";
import { incompleteCopy, UnusableStore } from "../errors.ts";
import { GroupCommit } from "../group-commit.ts";
import type { OpenedStore, StoreKind } from "../opened-store.ts";
import type { OrderWrite } from "../order-write.ts";
import { WriteCheck } from "../write-check.ts";
import { AnimalReader } from "./animals.ts";
import { Keys } from "./api-keys.ts";
import { sourceUnderWay } from "./bulk/copy-target.ts";
import { attempt, connect } from "./connection.ts";
import { cursorSecret } from "./cursor-secret.ts";
import { FeedReader, setRecording } from "./feed.ts";
import { createFile, fileBehindLink } from "./file.ts";
import { migrate, readSchemaVersion } from "./migrate.ts";
import { type FileIdentity, filesOpened, identityOf, isSameFile, OpenedFiles } from "./opened-files.ts";
import { OrderReader } from "./orders.ts";
import { ReadTransaction } from "./read-transaction.ts";
import { ChangeCounters } from "./revision/change-counters.ts";
import {
  isStillMapped,
  type MappedHeader,
  mapHeader,
  SharedMemoryRevision,
} from "./revision/shared-memory-revision.ts";
import { WriteAheadLogWatch } from "./revision/write-ahead-log.ts";
import { withWriteLock } from "./write-lock.ts";
import { changeInTurn } from "./write-turn.ts";
import { sweep, tryToWrite, type WriterChannel, writeCreates, writeOrders } from "./writer/channel.ts";
import { WriterThread } from "./writer/thread.ts";

/** How long a write may wait, so that a client gets a response even if the disk hangs. */
const WRITE_WAIT_MAX_MS = 7000;

/** How long a transaction of this process proves that its siblings can write too. */
const SHARED_PROOF_FRESH_MS = 1000;

/** How often to check that the file was not replaced: reads may come from a replaced file for this long. */
const LOOK_EVERY_MS = 100;

/**
 * A store in an SQLite file. Reads happen on the calling thread. A writer thread, which may belong to another process,
 * writes animals and orders.
 */
export class SqliteStore implements OpenedStore {
  readonly #database: Database;
  readonly #files: OpenedFiles;
  readonly #reader: AnimalReader;
  readonly #orderReader: OrderReader;
  readonly #feed: FeedReader;
  readonly #readTransaction: ReadTransaction;
  readonly #keys: Keys;
  readonly #creates: GroupCommit<Create, Added>;
  readonly #orderWrites: GroupCommit<OrderWrite, Placed | Updated>;
  readonly #writer: WriterChannel;
  readonly #writeCheck: WriteCheck;
  readonly #revision: SharedMemoryRevision;
  readonly #clock: () => number;
  readonly #patient: EventSink | undefined;
  readonly writeFor: OpenedStore["writeFor"];
  readonly startWriter: OpenedStore["startWriter"];
  readonly writeAheadLog: NonNullable<OpenedStore["writeAheadLog"]>;

  /**
   * Opens the store, creating and migrating it if necessary.
   *
   * @param path the file, or a symbolic link to it
   * @param clock milliseconds since 1970
   * @param observer observes each transaction of writes
   * @param writer the way to the writer, if that is in another process
   * @param patient receives an event if a change of the keys has to wait; without it, a change waits only as long as a
   *   request may
   * @throws UnusableStore if the file cannot be used as a store
   */
  constructor(
    path: string,
    clock: () => number,
    observer?: CommitObserver,
    writer?: WriterChannel,
    patient?: EventSink,
    kind?: StoreKind,
  ) {
    this.#clock = clock;
    this.#patient = patient;
    createFile(path);
    readSchemaVersion(path, kind);
    const { file, database, header, identity } = open(path);
    this.#database = database;
    migrate(database, file, undefined, kind);
    if (sourceUnderWay(database) !== undefined) {
      database.close();
      throw new UnusableStore(incompleteCopy(file));
    }
    const opened = filesOpened(identity, file);
    this.#files = new OpenedFiles(opened);
    this.#reader = new AnimalReader(database);
    this.#orderReader = new OrderReader(database);
    this.#feed = new FeedReader(database);
    this.#readTransaction = new ReadTransaction(database);
    this.#keys = new Keys(database);
    const log = new WriteAheadLogWatch(file, header);
    this.writeAheadLog = () => log.look(performance.now());
    this.#revision = new SharedMemoryRevision(header, new ChangeCounters(database));
    const channel = writer ?? new WriterThread({ file, opened });
    this.#writer = channel;
    this.writeFor = channel.serve?.bind(channel);
    this.startWriter = channel.start?.bind(channel);
    const fresh = channel.sharers > 1 ? SHARED_PROOF_FRESH_MS : undefined;
    this.#writeCheck = new WriteCheck(() => tryToWrite(channel), fresh);
    this.#creates = new GroupCommit(
      (creates) => this.#writeCheck.observe(writeCreates(channel, creates, clock())),
      WRITE_WAIT_MAX_MS,
      observer,
      channel.sharers,
    );
    this.#orderWrites = new GroupCommit(
      (writes) => this.#writeCheck.observe(writeOrders(channel, writes, clock())),
      WRITE_WAIT_MAX_MS,
      observer,
      channel.sharers,
    );
    observer?.queue?.(() => this.#creates.queueLength + this.#orderWrites.queueLength);
  }

  addAnimal(animal: NewAnimal, idempotency?: Idempotency, ifKeysAt?: Revision): Promise<Added> {
    if (this.#keysChangedSince(ifKeysAt)) return Promise.reject(new KeysChanged());
    return this.#creates.add({ animal, idempotency, ifKeysAt: undefined });
  }

  listAnimals(query: PageQuery): Page<ReadAnimal> {
    return this.#attempt(() => this.#reader.list(query));
  }

  findAnimal(id: bigint): ReadAnimal | undefined {
    return this.#attempt(() => this.#reader.find(id));
  }

  placeOrder(petId: bigint, idempotency?: Idempotency, ifKeysAt?: Revision): Promise<Placed> {
    return this.#writeOrder({ petId, idempotency }, ifKeysAt) as Promise<Placed>;
  }

  updateOrder(id: bigint, status: OrderStatus, ifKeysAt?: Revision): Promise<Updated> {
    return this.#writeOrder({ id, status }, ifKeysAt) as Promise<Updated>;
  }

  listOrders(query: OrderQuery): Page<Order> {
    return this.#attempt(() => this.#orderReader.list(query));
  }

  findOrder(id: bigint): Order | undefined {
    return this.#attempt(() => this.#orderReader.find(id));
  }

  listEvents(query: EventQuery): EventPage | "expired" {
    return this.#readTransaction.run(() => this.#attempt(() => this.#feed.list(query)));
  }

  newestEventId(): bigint {
    return this.#attempt(() => this.#feed.newest());
  }

  isRecordingEvents(): boolean {
    return this.#attempt(() => this.#feed.isRecording());
  }

  async recordEvents(on: boolean): Promise<void> {
    // Usually nothing changes, and no lock is needed.
    if (this.isRecordingEvents() !== on) await this.#change(() => setRecording(this.#database, on));
  }

  async deleteExpiredEvents(before: number): Promise<number> {
    return sweep(this.#writer, "sweep-events", before);
  }

  findKey(hash: Uint8Array): ApiKey | undefined {
    return this.#attempt(() => this.#keys.find(hash));
  }

  async listKeys(): Promise<ApiKey[]> {
    return this.#attempt(() => this.#keys.list());
  }

  async addKey(key: NewApiKey): Promise<ApiKey> {
    return this.#change(() => this.#keys.add(key));
  }

  async addFirstKey(key: NewApiKey): Promise<boolean> {
    return this.#change(() => this.#keys.addFirst(key));
  }

  async revokeKey(id: number, at: number): Promise<ApiKey | undefined> {
    return this.#change(() => this.#keys.revoke(id, at));
  }

  async replaceKey(id: number, successor: NewApiKey, expiresAt: number): Promise<ApiKey | undefined> {
    return this.#change(() => this.#keys.replace(id, successor, expiresAt));
  }

  async cursorSecret(): Promise<Uint8Array> {
    return this.#attempt(() => cursorSecret(this.#database));
  }

  revisionAtHand(): Revision {
    // Cached pages and keys do not outlive the file that they were read from.
    return this.#files.lookEvery(LOOK_EVERY_MS) === undefined
      ? this.#revision.current()
      : this.#revision.outdate();
  }

  together<Result>(work: (revision: Revision) => Result): Result {
    // Taken before the transaction begins: within it, the change counters would be those of its snapshot.
    const revision = this.revisionAtHand();
    return this.#readTransaction.run(() => work(revision));
  }

  async check(): Promise<void> {
    this.#files.look();
    this.#attempt(() => this.#database.query("SELECT 1 FROM animal LIMIT 1").get());
  }

  checkWriting(): Promise<void> {
    return this.#writeCheck.check();
  }

  async deleteExpired(): Promise<number> {
    return sweep(this.#writer, "sweep", this.#clock() - IDEMPOTENCY_TTL_MS);
  }

  async close(): Promise<void> {
    await Promise.all([this.#creates.close(), this.#orderWrites.close()]);
    // If anything was written, this is not the last connection. Closing the last one blocks on the disk, so the writer's
    // thread does that.
    this.#database.close();
    await this.#writer.close();
  }

  #writeOrder(write: OrderWrite, ifKeysAt: Revision | undefined): Promise<Placed | Updated> {
    if (this.#keysChangedSince(ifKeysAt)) return Promise.reject(new KeysChanged());
    return this.#orderWrites.add(write);
  }

  #keysChangedSince(revision: Revision | undefined): boolean {
    return revision !== undefined && !holdsUnder(revision, this.revisionAtHand(), "keys");
  }

  async #change<Result>(work: () => Result): Promise<Result> {
    this.#files.assertNotReplaced();
    const result = this.#patient
      ? await changeInTurn(this.#database, work, this.#patient)
      : attempt(this.#database, () => withWriteLock(this.#database, work));
    this.#files.assertCommitted();
    return result;
  }

  #attempt<Result>(work: () => Result): Result {
    this.#files.assertNotReplaced();
    return attempt(this.#database, work);
  }
}

interface OpenedDatabase {
  /** The file itself, where the path is a link. */
  readonly file: string;
  readonly database: Database;
  readonly header: MappedHeader;
  readonly identity: FileIdentity;
}

/** Opens a database and the shared memory that it uses. */
function open(path: string): OpenedDatabase {
  for (;;) {
    const identity = identityOf(path);
    const file = fileBehindLink(path);
    const header = mapHeader(file);
    const database = connect(file);
    if (isStillMapped(file, header) && isSameFile(identity, identityOf(path))) {
      return { file, database, header, identity };
    }
    // Meanwhile another process closed the last connection, which deleted the memory that was mapped, or the file was
    // replaced.
    database.close();
  }
}
