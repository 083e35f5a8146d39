import type { Database } from "bun:sqlite";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";
import { isValidAt, type Revision } from "../../domain/revision.ts";
import { type Added, KeysChanged, type Placed, type Updated } from "../../domain/store.ts";
import type { CommitObserver } from "../../observations/commit-observer.ts";
import type { ObservationSink } from "../../observations/observation.ts";
import { closeOnFailure } from "../close-on-failure.ts";
import type { Create } from "../create.ts";
import { GroupCommit } from "../group-commit.ts";
import type { OpenedStore, StoreKind } from "../opened-store.ts";
import { type OrderWrite, versionOf } from "../order-write.ts";
import { ReadTurn } from "../read-turn.ts";
import { WriteCheck } from "../write-check.ts";
import { Animals } from "./animals.ts";
import { Keys } from "./api-keys.ts";
import { attempt } from "./connection.ts";
import { cursorSecret } from "./cursor-secret.ts";
import { Events, setRecording } from "./events.ts";
import { createFile } from "./file.ts";
import { assertComplete } from "./incomplete-copy.ts";
import { migrate, readSchemaVersion } from "./migrate.ts";
import { filesOpened, OpenedFiles, type StoreFiles } from "./opened-files.ts";
import { Orders } from "./orders.ts";
import { ReadTransaction } from "./read-transaction.ts";
import { ChangeCounters } from "./revision/change-counters.ts";
import { type OpenedDatabase, openWithSharedMemory } from "./revision/opened-database.ts";
import { type MappedHeader, SharedMemoryRevision } from "./revision/shared-memory-revision.ts";
import { WriteAheadLogWatch } from "./revision/write-ahead-log.ts";
import { withWriteLock } from "./write-lock.ts";
import { changeInTurn } from "./write-turn.ts";
import {
  sweep,
  tryToWrite,
  type WriterChannel,
  writeCreates,
  writeKeyUses,
  writeOrders,
} from "./writer/channel.ts";
import { WriterThread } from "./writer/thread.ts";

/** How long a write may wait, so that a client gets a response even if the disk hangs. */
const WRITE_WAIT_MAX_MS = 7000;

/**
 * How often a check writes after a failure. A check takes three pages of the log and an order up to 17, so a disk that is
 * nearly full may have room for a few checks and for no order.
 */
const TRIES_AFTER_FAILURE = 6;

/** How long a transaction of this process proves that its siblings can write too. */
const SHARED_PROOF_FRESH_MS = 1000;

/** How often to check that the file was not replaced: reads may come from a replaced file for this long. */
const LOOK_EVERY_MS = 100;

interface SqliteOptions {
  readonly kind?: StoreKind | undefined;
  /** Observes each transaction of writes. */
  readonly commits?: CommitObserver | undefined;
  /** The way to the writer, if that is in another process. */
  readonly writer?: WriterChannel | undefined;
  /** Receives an event if a change of the keys has to wait. Without it, a change waits only as long as a request may. */
  readonly patient?: ObservationSink | undefined;
}

/**
 * Opens a store in an SQLite file, creating and migrating it if necessary. Reads happen on the calling thread. A writer
 * thread, which may belong to another process, writes animals and orders.
 *
 * @param path the file, or a symbolic link to it
 * @param clock milliseconds since 1970
 * @throws UnusableStore if the file cannot be used as a store
 */
export function openSqliteStore(path: string, clock: () => number, options: SqliteOptions = {}): OpenedStore {
  createFile(path);
  readSchemaVersion(path, options.kind);
  const opened = openWithSharedMemory(path);
  const { database, file } = opened;
  return closeOnFailure(database, () => {
    migrate(database, file, undefined, options.kind);
    assertComplete(database, file);
    return storeOnFile(opened, clock, options);
  });
}

function storeOnFile(
  { database, file, header, identity }: OpenedDatabase,
  clock: () => number,
  options: SqliteOptions,
): OpenedStore {
  const opened = filesOpened(identity, file);
  const files = new OpenedFiles(opened);
  const log = new WriteAheadLogWatch(file, header);
  const writer = options.writer ?? new WriterThread({ file, opened });
  return {
    ...storeOn({ database, files, header, writer }, clock, options),
    writeFor: writer.serve?.bind(writer),
    startWriter: writer.start?.bind(writer),
    writeAheadLog: () => log.look(performance.now()),
    wasReplaced: () => files.look() !== undefined,
  };
}

/** The parts by which stores in files and in memory differ. */
interface Parts {
  readonly database: Database;
  readonly files: StoreFiles;
  readonly header: MappedHeader;
  readonly writer: WriterChannel;
}

/** A store on a database whose schema is this program's. */
export function storeOn(
  { database, files, header, writer }: Parts,
  clock: () => number,
  { commits, patient }: Pick<SqliteOptions, "commits" | "patient"> = {},
): OpenedStore {
  const animals = new Animals(database);
  const orders = new Orders(database);
  const events = new Events(database);
  const keys = new Keys(database);
  const readTransaction = new ReadTransaction(database);
  const revision = new SharedMemoryRevision(header, new ChangeCounters(database));

  const { sharers } = writer;
  const writeCheck = new WriteCheck(
    (hasFailed) => tryToWrite(writer, hasFailed ? TRIES_AFTER_FAILURE : 1),
    sharers > 1 ? SHARED_PROOF_FRESH_MS : undefined,
  );
  const creates = new GroupCommit<Create, Added>(
    (batch) => writeCheck.observe(writeCreates(writer, batch, clock())),
    WRITE_WAIT_MAX_MS,
    commits,
    sharers,
  );
  const orderWrites = new GroupCommit<OrderWrite, Placed | Updated>(
    (batch) => writeCheck.observe(writeOrders(writer, batch, clock())),
    WRITE_WAIT_MAX_MS,
    commits,
    sharers,
  );
  commits?.queue?.(() => creates.queueLength + orderWrites.queueLength);

  const read = <Result>(work: () => Result): Result => {
    files.assertNotReplaced();
    return attempt(database, work);
  };
  const change = async <Result>(work: () => Result): Promise<Result> => {
    files.assertLocksShared();
    const result = patient
      ? await changeInTurn(database, work, patient)
      : attempt(database, () => withWriteLock(database, work));
    files.assertCommitted();
    return result;
  };
  // Cached pages and keys do not outlive the file that they were read from.
  const currentRevision = (): Revision =>
    files.lookEvery(LOOK_EVERY_MS) === undefined ? revision.current() : revision.outdate();
  const unlessKeysChanged = <Result>(
    asOf: Revision | undefined,
    write: () => Promise<Result>,
  ): Promise<Result> =>
    asOf === undefined || isValidAt(asOf, currentRevision(), "keys")
      ? write()
      : Promise.reject(new KeysChanged());

  const turn = new ReadTurn((work) => {
    // Taken before the transaction begins: within it, the change counters would be those of its snapshot.
    const revision = currentRevision();
    return readTransaction.run(() => work(revision));
  }, true);

  return {
    addAnimal: (animal, idempotency, ifKeysAt) =>
      unlessKeysChanged(ifKeysAt, () => creates.add({ animal, idempotency, ifKeysAt: undefined })),
    ...animals.reads(read),

    placeOrder: (order, idempotency, ifKeysAt) =>
      unlessKeysChanged(ifKeysAt, () => orderWrites.add({ order, idempotency }) as Promise<Placed>),
    updateOrder: (id, status, ifKeysAt, expected) =>
      unlessKeysChanged(ifKeysAt, () => {
        const version = expected && versionOf(expected);
        return orderWrites.add({ id, status, version }) as Promise<Updated>;
      }),
    listOrders: (query) => readTransaction.run(() => read(() => orders.list(query))),
    findOrder: (id, include) => read(() => orders.find(id, include)),

    listEvents: (query) => readTransaction.run(() => read(() => events.list(query))),
    newestEventId: () => read(() => events.newest()),
    feedState: () => read(() => events.state()),
    async recordEvents(on) {
      // Usually nothing changes, and no lock is needed.
      if (read(() => events.state()).isRecording !== on) await change(() => setRecording(database, on));
    },
    deleteExpiredEvents: (before) => sweep(writer, "sweep-events", before),

    findKey: (hash) => read(() => keys.find(hash)),
    listKeys: async () => read(() => keys.list()),
    recordKeyUses: (uses) => writeKeyUses(writer, uses),
    addKey: (key) => change(() => keys.add(key)),
    addFirstKey: (key) => change(() => keys.addFirst(key)),
    revokeKey: (id, at) => change(() => keys.revoke(id, at)),
    replaceKey: (id, successor, expiresAt) => change(() => keys.replace(id, successor, expiresAt)),

    cursorSecret: async () => read(() => cursorSecret(database)),
    revisionAtHand: currentRevision,
    read: (work, sharedAs) => turn.read(work, sharedAs),
    async check() {
      files.look();
      read(() => database.query("SELECT 1 FROM animal LIMIT 1").get());
    },
    checkWriting: () => writeCheck.check(),
    // A write waits here for other processes only, and SQLite does not tell for which.
    findWriteWait: async () => undefined,
    deleteExpired: () => sweep(writer, "sweep", clock() - IDEMPOTENCY_TTL_MS),
    async close() {
      await Promise.all([creates.close(), orderWrites.close()]);
      // If anything was written, this is not the last connection. Closing the last one blocks on the disk, so the
      // writer's thread does that.
      database.close();
      await writer.close();
    },
  };
}
