import { StoreFailure } from "../../domain/failure.ts";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";
import type { Added, Store } from "../../domain/store.ts";
import type { ObservationSink } from "../../observations/observation.ts";
import { closeOnRejection } from "../close-on-failure.ts";
import type { Create } from "../create.ts";
import { incompleteCopy, MissingStore, UnusableStore } from "../errors.ts";
import { GroupCommit } from "../group-commit.ts";
import type { OpenOptions } from "../opened-store.ts";
import { ReadTurn } from "../read-turn.ts";
import { WriteCheck } from "../write-check.ts";
import { Animals } from "./animals.ts";
import { Keys } from "./api-keys.ts";
import { ChangeLogs } from "./change-logs.ts";
import { openPatientPool, openPool } from "./connect/open-pool.ts";
import type { Pool } from "./connect/pool.ts";
import { NEWEST_SUPPORTED } from "./connect/server-info.ts";
import { writeCreates } from "./create-writer.ts";
import { cursorSecret } from "./cursor-secret.ts";
import { Events } from "./events.ts";
import { ExpiredRecords } from "./idempotency-keys.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { OrderWriter } from "./order-writer.ts";
import { Orders } from "./orders.ts";
import { prepareWriting, repairSequences } from "./prepare-writing.ts";
import { ReadBatcher } from "./read-batcher.ts";
import { readOrNameHolders } from "./read-or-name-holders.ts";
import { assertRights } from "./rights.ts";
import { StandbyReads } from "./standbys/standby-reads.ts";
import { tryToWrite } from "./try-to-write.ts";

/** How much longer than a statement a create or an order may take, since it may wait in the queue first. */
const WRITE_QUEUE_MS = 400;

/**
 * Opens a store in a PostgreSQL database, which many instances may share, creating and migrating it if necessary.
 *
 * @param clock milliseconds since 1970
 * @param epoch the epoch of the first server
 * @throws UnusableStore if no primary accepts the connection, the schema is newer than this program, or the role lacks
 *   rights
 */
export async function openPostgresStore(
  url: string,
  clock: () => number,
  options: OpenOptions = {},
  epoch?: number,
): Promise<Store> {
  const { emit = () => {}, access, patient } = options;
  const pool = await (patient ? openPatientPool(url, emit) : openPool(url, { emit, epoch }));
  return closeOnRejection(pool, async () => {
    const { majorVersion } = pool;
    if (majorVersion > NEWEST_SUPPORTED) {
      emit({ event: "untested_postgresql", majorVersion, newest: NEWEST_SUPPORTED });
    }
    if (access === "existing" && (await schemaVersion(pool)) === 0) throw new MissingStore(url);
    await migrate(pool, emit);
    pool.expectStore();
    await assertRights(pool, "write");
    if (access === "existing") pool.prepareEachServer(repairSequences);
    else {
      await prepareWriting(pool, emit);
      // Every read of a service begins with this row.
      await readOrNameHolders(
        pool,
        "the first read",
        emit,
        (sql) => sql`SELECT FROM animal_store.state WHERE single`,
      );
    }
    const [begun] = await pool.read<unknown[]>(
      (sql) => sql`SELECT 1 FROM animal_store.incomplete_copy WHERE single`,
    );
    if (begun) throw new UnusableStore(incompleteCopy("the database"));
    if (!patient) pool.reportWaits("a write");
    return storeOn(pool, clock, emit, options);
  });
}

function storeOn(
  pool: Pool,
  clock: () => number,
  emit: ObservationSink,
  { commits, readStandbys, standbyReads }: OpenOptions,
): Store {
  const standbys = readStandbys ? new StandbyReads(pool, emit, standbyReads) : undefined;
  const reads = new ReadBatcher(pool, emit, standbys);
  const turn = new ReadTurn((work) => reads.together(work), false);
  const animals = new Animals(reads);
  const orders = new Orders(reads);
  const events = new Events(pool, reads);
  const keys = new Keys(pool, reads, emit);
  const changeLogs = new ChangeLogs(pool);
  const expiredRecords = new ExpiredRecords(pool);

  const writeCheck = new WriteCheck(() => tryToWrite(pool));
  const waitMaxMs = pool.deadlineMs + WRITE_QUEUE_MS;
  const lastKnownFeed = { isRecording: false };
  const creates = new GroupCommit<Create, Added>(
    (batch) => writeCheck.observeBatch(writeCreates(pool, batch, clock(), lastKnownFeed)),
    waitMaxMs,
    commits,
  );
  const orderWriter = new OrderWriter(pool, clock, waitMaxMs, writeCheck, commits);
  commits?.queue?.(() => creates.queueLength + orderWriter.queueLength);

  return {
    addAnimal: (animal, idempotency, ifKeysAt) => creates.add({ animal, idempotency, ifKeysAt }),
    ...animals.reads(),

    placeOrder: (order, idempotency, ifKeysAt) => orderWriter.place(order, idempotency, ifKeysAt),
    updateOrder: (id, status, ifKeysAt, expected) => orderWriter.update(id, status, ifKeysAt, expected),
    listOrders: (query) => orders.list(query),
    findOrder: (id, include) => orders.find(id, include),

    listEvents: (query) => events.list(query),
    newestEventId: () => events.newest(),
    feedState: () => events.state(),
    recordEvents: (on) => events.record(on),
    deleteExpiredEvents: (before) => events.deleteExpired(before),

    findKey: (hash) => keys.find(hash),
    listKeys: () => keys.list(),
    recordKeyUses: (uses) => keys.recordUses(uses),
    addKey: (key) => keys.add(key),
    addFirstKey: (key) => keys.addFirst(key),
    revokeKey: (id, at) => keys.revoke(id, at),
    replaceKey: (id, successor, expiresAt) => keys.replace(id, successor, expiresAt),

    cursorSecret: () => cursorSecret(pool),
    revisionAtHand: () => undefined,
    read: (work, sharedAs) => turn.read(work, sharedAs),
    async check() {
      await reads.revision();
    },
    async checkWriting() {
      if (!pool.isWritable) throw new StoreFailure("store_unavailable", "PostgreSQL is read-only");
      await writeCheck.check();
    },
    findWriteWait: async () => (await pool.findWriteWait())?.publicDescription,
    async deleteExpired() {
      const records = await expiredRecords.delete(clock() - IDEMPOTENCY_TTL_MS);
      return records + (await changeLogs.prune());
    },
    async close() {
      await Promise.all([creates.close(), orderWriter.close()]);
      standbys?.stop();
      await pool.close();
    },
  };
}
