import type { Animal, NewAnimal } from "../../domain/animal.ts";
import type { ApiKey, NewApiKey } from "../../domain/api-key.ts";
import type { EventPage, EventQuery } from "../../domain/change-event.ts";
import { StoreFailure } from "../../domain/failure.ts";
import { IDEMPOTENCY_TTL_MS, type Idempotency } from "../../domain/idempotency.ts";
import type { CommitObserver } from "../../domain/observation.ts";
import type { Order, OrderQuery, OrderStatus } from "../../domain/order.ts";
import type { Page, PageQuery } from "../../domain/page.ts";
import type { Revision } from "../../domain/revision.ts";
import type { Added, Placed, Store, Updated } from "../../domain/store.ts";
import type { Create } from "../create.ts";
import { incompleteCopy, MissingStore, UnusableStore } from "../errors.ts";
import { GroupCommit, type WriteBatch } from "../group-commit.ts";
import type { OpenOptions } from "../opened-store.ts";
import { WriteCheck } from "../write-check.ts";
import { Animals } from "./animals.ts";
import { Keys } from "./api-keys.ts";
import { ChangeLogs } from "./change-logs.ts";
import { openPatientPool, openPool } from "./connect/open-pool.ts";
import type { Pool } from "./connect/pool.ts";
import { NEWEST_SUPPORTED } from "./connect/server-info.ts";
import { writeCreates } from "./create-writer.ts";
import { continueOnServer, Feed } from "./feed.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { OrderWriter } from "./order-writer.ts";
import { Orders } from "./orders.ts";
import { ReadBatcher } from "./read-batcher.ts";
import { assertRights } from "./rights.ts";

const SECRET_BYTES = 32;
/** Idempotency records deleted in one transaction, few enough not to delay creates. */
const SWEEP_MAX = 500;

/**
 * Skips records that a create or an order has locked, since it is renewing them. Deleting by `ctid` keeps every plan from
 * scanning the table. The limit is part of the text, since the planner assumes a tenth of the table for a parameter.
 */
const SWEEP = `
  DELETE FROM animal_store.idempotency_key WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM animal_store.idempotency_key WHERE created_at <= $1::bigint
     ORDER BY created_at LIMIT ${SWEEP_MAX} FOR UPDATE SKIP LOCKED))
  RETURNING 1`;

/** How much longer than a statement a create or an order may take, since it may wait in the queue first. */
const WRITE_QUEUE_MS = 400;

/** A store in a PostgreSQL database, which many instances may share. */
export class PostgresStore implements Store {
  readonly #pool: Pool;
  readonly #animals: Animals;
  readonly #keys: Keys;
  readonly #creates: GroupCommit<Create, Added>;
  readonly #orders: Orders;
  readonly #orderWriter: OrderWriter;
  readonly #feed: Feed;
  readonly #writeCheck: WriteCheck;
  readonly #reads: ReadBatcher;
  readonly #changeLogs: ChangeLogs;
  readonly #clock: () => number;

  private constructor(pool: Pool, clock: () => number, observer: CommitObserver | undefined) {
    this.#pool = pool;
    this.#clock = clock;
    this.#reads = new ReadBatcher(pool);
    this.#changeLogs = new ChangeLogs(pool);
    this.#animals = new Animals(this.#reads);
    this.#keys = new Keys(pool, this.#reads);
    this.#writeCheck = new WriteCheck(() => this.#tryToWrite());
    const feed = { isRecording: false };
    const write: WriteBatch<Create, Added> = async (creates) => {
      const { results, confirmed } = await this.#writeCheck.observe(
        writeCreates(pool, creates, clock(), feed),
      );
      return { results, confirmed: confirmed && this.#writeCheck.observe(confirmed) };
    };
    const waitMaxMs = pool.deadlineMs + WRITE_QUEUE_MS;
    this.#creates = new GroupCommit(write, waitMaxMs, observer);
    this.#orders = new Orders(this.#reads);
    this.#feed = new Feed(pool, this.#reads);
    this.#orderWriter = new OrderWriter(
      pool,
      clock,
      waitMaxMs,
      (each) => this.#writeCheck.observe(each),
      observer,
    );
    observer?.queue?.(() => this.#creates.queueLength + this.#orderWriter.queueLength);
  }

  /**
   * Opens the store, creating and migrating it if necessary.
   *
   * @param clock milliseconds since 1970
   * @param epoch the epoch of the first server
   * @throws UnusableStore if no primary accepts the connection, the schema is newer than this program, or the role lacks
   *   rights
   */
  static async open(
    url: string,
    clock: () => number,
    { commits, emit = () => {}, access, patient }: OpenOptions = {},
    epoch?: number,
  ): Promise<PostgresStore> {
    const pool = await (patient ? openPatientPool(url, emit) : openPool(url, { emit, epoch }));
    const { majorVersion } = pool;
    if (majorVersion > NEWEST_SUPPORTED) {
      emit({ event: "untested_postgresql", majorVersion, newest: NEWEST_SUPPORTED });
    }
    try {
      if (access === "existing" && (await schemaVersion(pool)) === 0) throw new MissingStore(url);
      await migrate(pool, emit);
      await assertRights(pool, "write");
      pool.prepareEachServer(continueOnServer);
      await pool.write((sql) => sql`SELECT animal_store.repair_sequences()`);
      const [begun] = await pool.read<unknown[]>(
        (sql) => sql`SELECT 1 FROM animal_store.incomplete_copy WHERE single`,
      );
      if (begun) throw new UnusableStore(incompleteCopy("the database"));
    } catch (error) {
      await pool.close();
      throw error;
    }
    return new PostgresStore(pool, clock, commits);
  }

  addAnimal(animal: NewAnimal, idempotency?: Idempotency, ifKeysAt?: Revision): Promise<Added> {
    return this.#creates.add({ animal, idempotency, ifKeysAt });
  }

  listAnimals(query: PageQuery): Promise<Page<Animal>> {
    return this.#animals.list(query);
  }

  findAnimal(id: bigint): Promise<Animal | undefined> {
    return this.#animals.find(id);
  }

  placeOrder(petId: bigint, idempotency?: Idempotency, ifKeysAt?: Revision): Promise<Placed> {
    return this.#orderWriter.place(petId, idempotency, ifKeysAt);
  }

  updateOrder(id: bigint, status: OrderStatus, ifKeysAt?: Revision): Promise<Updated> {
    return this.#orderWriter.update(id, status, ifKeysAt);
  }

  listOrders(query: OrderQuery): Promise<Page<Order>> {
    return this.#orders.list(query);
  }

  findOrder(id: bigint): Promise<Order | undefined> {
    return this.#orders.find(id);
  }

  listEvents(query: EventQuery): Promise<EventPage | "expired"> {
    return this.#feed.list(query);
  }

  newestEventId(): Promise<bigint> {
    return this.#feed.newest();
  }

  isRecordingEvents(): Promise<boolean> {
    return this.#feed.isRecording();
  }

  recordEvents(on: boolean): Promise<void> {
    return this.#feed.record(on);
  }

  deleteExpiredEvents(before: number): Promise<number> {
    return this.#feed.deleteExpired(before);
  }

  findKey(hash: Uint8Array): Promise<ApiKey | undefined> {
    return this.#keys.find(hash);
  }

  listKeys(): Promise<ApiKey[]> {
    return this.#keys.list();
  }

  addKey(key: NewApiKey): Promise<ApiKey> {
    return this.#keys.add(key);
  }

  addFirstKey(key: NewApiKey): Promise<boolean> {
    return this.#keys.addFirst(key);
  }

  revokeKey(id: number, at: number): Promise<ApiKey | undefined> {
    return this.#keys.revoke(id, at);
  }

  replaceKey(id: number, successor: NewApiKey, expiresAt: number): Promise<ApiKey | undefined> {
    return this.#keys.replace(id, successor, expiresAt);
  }

  async cursorSecret(): Promise<Uint8Array> {
    const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    await this.#pool.write((sql) =>
      sql.begin(async (transaction) => {
        // A copy into this store takes the same lock when it begins, so it is visible once the lock is granted.
        await transaction`SELECT 1 FROM animal_store.state WHERE single FOR UPDATE`;
        await transaction`
          INSERT INTO animal_store.secret
          SELECT 'cursor', ${secret}::bytea WHERE NOT EXISTS (SELECT 1 FROM animal_store.incomplete_copy WHERE single)
          ON CONFLICT DO NOTHING`;
      }),
    );
    const [kept] = await this.#pool.read<{ value: Uint8Array }[]>(
      (sql) => sql`SELECT value FROM animal_store.secret WHERE name = 'cursor'`,
    );
    if (!kept) throw new UnusableStore(incompleteCopy("the database"));
    return kept.value;
  }

  revisionAtHand(): undefined {}

  together<Result>(work: (revision: Promise<Revision>) => Result): Result {
    return this.#reads.together(work);
  }

  async check(): Promise<void> {
    await this.#reads.revision();
  }

  async checkWriting(): Promise<void> {
    if (!this.#pool.isWritable) throw new StoreFailure("store_unavailable", "PostgreSQL is read-only");
    await this.#writeCheck.check();
  }

  async deleteExpired(): Promise<number> {
    const before = this.#clock() - IDEMPOTENCY_TTL_MS;
    const swept = await this.#pool.write<unknown[]>((sql) => sql.unsafe(SWEEP, [before]));
    return swept.length + (await this.#changeLogs.prune());
  }

  async close(): Promise<void> {
    await Promise.all([this.#creates.close(), this.#orderWriter.close()]);
    await this.#pool.close();
  }

  /** A row lock is written to the WAL and flushed at the commit like a change, but creates no new version of the row. */
  async #tryToWrite(): Promise<void> {
    await this.#pool.write((sql) => sql`SELECT FROM animal_store.state WHERE single FOR UPDATE`);
  }
}
