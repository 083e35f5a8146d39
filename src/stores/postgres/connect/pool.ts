import type { SQL } from "bun";
import type { EventSink } from "../../../domain/event.ts";
import { StoreFailure } from "../../../domain/failure.ts";
import { ConnectionLost, isReadOnly } from "../errors.ts";
import { Connection, type Work } from "./connection.ts";
import { ConnectionGroup } from "./connection-group.ts";
import { findWait } from "./lock-holders.ts";
import { LockWait } from "./lock-wait.ts";
import { OtherServers } from "./other-servers.ts";
import { findPrimary, NoPrimary, nameOf, type Primary, refusalOf } from "./primary.ts";
import { Refused } from "./refused.ts";
import { type Credentials, connect } from "./server.ts";
import { parseLsn } from "./server-info.ts";
import type { Host, PostgresUrl } from "./url.ts";

/** How much longer than the server gives a statement we wait for it, waiting for a connection included. */
const DEADLINE_MARGIN_MS = 200;
const TICK_MS = 100;
const HELD_UP_MS = 5 * TICK_MS;
const READ_ONLY = "takes no writes: its default_transaction_read_only is on";
/** Between the beginnings of two looks at all hosts, while none takes writes. */
const PAUSE_MIN_MS = 50;
const PAUSE_MAX_MS = 500;
/**
 * A commit that takes longer may have waited for a standby, and an operator may have cancelled that wait, which
 * PostgreSQL reports as success.
 */
const SLOW_COMMIT_MS = 250;

type Prepare = (sql: SQL) => PromiseLike<unknown>;

export interface PoolOptions {
  /** Told when another server is used, and what is waited for. */
  readonly emit?: EventSink | undefined;
  /** Of the first server that is found; 1 unless it is said. */
  readonly epoch?: number | undefined;
  /** Whether it is told what a change waits for: a person sits there, and the change may take long. */
  readonly reportWaits?: boolean | undefined;
}

/** A change that PostgreSQL has committed. */
interface Committed<Result> {
  readonly result: Result;
  /** Rejects with a `StoreFailure` where the change must not be acknowledged. */
  readonly confirmed: Promise<void>;
}

/**
 * Connections to the one server, of those that a URL names, that takes writes. When it is lost, does not
 * answer, or takes no writes any more, all are asked again and again, and what waits is answered in time.
 */
export class Pool {
  readonly #url: PostgresUrl;
  readonly #credentials: Credentials;
  readonly #deadlineMs: number;
  readonly #readers: ConnectionGroup = new ConnectionGroup({
    alone: false,
    max: 4,
    openAnother: () => void this.#openAnother(this.#readers),
  });
  readonly #writers: ConnectionGroup = new ConnectionGroup({
    alone: true,
    max: 2,
    openAnother: () => void this.#openAnother(this.#writers),
    // To open one may take longer than a client waits, and a server that is full refuses.
    borrow: () => this.#readers.leastLoaded,
  });
  readonly #opening = new Set<ConnectionGroup>();
  /** The server in use; `undefined` while one is looked for. */
  #host: Host | undefined;
  #writable = false;
  #majorVersion = 0;
  readonly #others: OtherServers;
  readonly #emit: EventSink;
  readonly #reportWaits: boolean;
  /** The latest that any server has told of: a server on an earlier one was replaced. */
  #timeline = 0;
  /** Grows by one with each server that is found. */
  #epoch: number;
  /** See `prepareEachServer`. */
  #prepare: Prepare = async () => {};
  #preparedEpoch = 0;
  #searching = false;
  #isDoubted = false;
  /** Whether a server was found since this was opened. */
  #wasFound = false;
  #closed = false;
  #ticking: Timer | undefined;
  #ticked = 0;

  private constructor(url: PostgresUrl, credentials: Credentials, options: PoolOptions) {
    const { emit = () => {}, epoch = 1, reportWaits = false } = options;
    this.#emit = emit;
    this.#reportWaits = reportWaits;
    this.#epoch = epoch - 1;
    this.#url = url;
    this.#deadlineMs = url.options.statementTimeoutMs + DEADLINE_MARGIN_MS;
    this.#credentials = credentials;
    this.#others = new OtherServers(url, credentials, ({ timeline }) => this.#noteTimeline(timeline));
  }

  /**
   * @param startWaitMaxMs how long to wait for a server that is starting or has no free connection
   * @throws NoPrimary
   */
  static async open(
    url: PostgresUrl,
    credentials: Credentials,
    startWaitMaxMs: number,
    options: PoolOptions,
  ): Promise<Pool> {
    const pool = new Pool(url, credentials, options);
    const giveUpAt = performance.now() + startWaitMaxMs;
    for (;;) {
      try {
        await pool.#look();
        if (pool.#writable) return pool;
        await pool.close();
        throw new NoPrimary([pool.#host as Host], [new Refused(READ_ONLY)], pool.#timeline);
      } catch (error) {
        const mayRetry = error instanceof NoPrimary && error.transient && performance.now() < giveUpAt;
        if (!mayRetry) throw error;
        await Bun.sleep(PAUSE_MAX_MS);
      }
    }
  }

  /** Of the server that was found last. */
  get majorVersion(): number {
    return this.#majorVersion;
  }

  /** How long a statement may take, waiting for a connection included. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Whether the server takes writes, as far as is known. */
  get isWritable(): boolean {
    return this.#writable;
  }

  /** Has a statement run before the first write to this server, and to each that is found later. */
  prepareEachServer(prepare: Prepare): void {
    this.#prepare = prepare;
    this.#preparedEpoch = 0;
  }

  /**
   * Runs a statement that changes nothing, beside those of others; again where its connection is lost.
   *
   * @throws StoreFailure where it cannot be answered now
   */
  async read<Result>(work: Work<Result>): Promise<Result> {
    const due = performance.now() + this.#deadlineMs;
    try {
      return await this.#run(this.#readers, work, due);
    } catch (error) {
      if (!(error instanceof ConnectionLost) || performance.now() > due - TICK_MS) throw error;
      return this.#run(this.#readers, work, due);
    }
  }

  /**
   * Runs what changes something, once, with a connection to itself, and confirms it: see `commit`.
   *
   * @throws StoreFailure where it was not answered in time or not confirmed; whether it was done is then not known
   */
  async write<Result>(work: Work<Result>, withinMs?: number): Promise<Result> {
    const { result, confirmed } = await this.commit(work, withinMs);
    await confirmed;
    return result;
  }

  /**
   * Runs what changes something, once, with a connection to itself, which is free again when this resolves. Nobody may
   * be told that the change is made before `confirmed` resolves: then no server on a later timeline was to be found
   * after the commit.
   *
   * A write is never cancelled: PostgreSQL reports a commit as done whose wait for a standby was cancelled. A write that
   * takes too long loses its connection instead.
   *
   * @throws StoreFailure where it was not answered in time; whether it was done is then not known
   */
  async commit<Result>(work: Work<Result>, withinMs = this.#deadlineMs): Promise<Committed<Result>> {
    if (this.#host && !this.#writable) {
      throw new StoreFailure("store_unavailable", `${nameOf(this.#host)} ${READ_ONLY}`);
    }
    let timeline = 0;
    let began = 0;
    let watching: Disposable | undefined;
    const noted: Work<Result> = (sql, epoch, process) => {
      timeline = this.#timeline;
      began = performance.now();
      watching = this.#watchWait(process);
      if (epoch === this.#preparedEpoch) return work(sql, epoch, process);
      return this.#prepare(sql).then(() => {
        this.#preparedEpoch = epoch;
        return work(sql, epoch, process);
      });
    };
    try {
      const result = await this.#run(this.#writers, noted, performance.now() + withinMs);
      const confirmed = this.#confirm(timeline, performance.now() - began);
      // A caller with several statements awaits this later, or never if another of them fails.
      confirmed.catch(() => {});
      return { result, confirmed };
    } catch (error) {
      if (isReadOnly(error)) this.#failOver();
      throw error;
    } finally {
      watching?.[Symbol.dispose]();
      this.#writers.serve();
      // It may have borrowed the connection that reads wait for.
      this.#readers.serve();
    }
  }

  /** Ends all connections, when what is under way is done or overdue. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#others.stop();
    const all = this.#connections();
    for (const group of [this.#readers, this.#writers]) {
      group.rejectAll(closed());
    }
    for (const connection of all) connection.leave();
    while (all.some(({ isDone }) => !isDone)) await Bun.sleep(TICK_MS / 10);
    for (const connection of all) connection.end("closed");
    clearInterval(this.#ticking);
  }

  /**
   * @param timeline of the server that has committed
   * @param tookMs how long the commit took
   */
  async #confirm(timeline: number, tookMs: number): Promise<void> {
    if (tookMs > SLOW_COMMIT_MS) await this.#assertReceived();
    await this.#assertNotReplaced(timeline);
  }

  /**
   * A primary that was replaced goes on committing where it waits for no standby. So the other servers are asked after
   * the commit: those that answer must know of no later timeline.
   */
  async #assertNotReplaced(timeline: number): Promise<void> {
    for (const position of await this.#others.positions()) this.#noteTimeline(position.timeline);
    if (timeline >= this.#timeline) return;
    throw new StoreFailure(
      "store_unavailable",
      "another PostgreSQL was promoted while this one was written to",
    );
  }

  /**
   * Where commits wait for standbys, one of the other servers that the URL names must have what was committed. Where it
   * names none, nobody can be asked.
   */
  async #assertReceived(): Promise<void> {
    if (this.#others.count === 0) return;
    const due = performance.now() + this.#deadlineMs;
    const [row] = await this.#run<{ waits: boolean; lsn: string }[]>(
      this.#readers,
      (sql) => sql`SELECT current_setting('synchronous_standby_names') <> '' AS waits,
                          pg_current_wal_flush_lsn()::text AS lsn`,
      due,
    ).catch((error) => {
      // Some managed services have no such log.
      if (error instanceof StoreFailure) throw error;
      return [];
    });
    if (!row?.waits) return;
    if (await this.#others.haveReceived(parseLsn(row.lsn), due)) return;
    throw new StoreFailure("store_unavailable", "PostgreSQL has committed, and no standby has it");
  }

  #watchWait(process: number): Disposable | undefined {
    if (!this.#reportWaits) return undefined;
    return new LockWait("this command", this.#emit).watch(() => this.read((sql) => findWait(sql, process)));
  }

  /** Takes note of what any server tells of; a later timeline than the one in use says that this was replaced. */
  #noteTimeline(timeline: number): void {
    if (timeline <= this.#timeline) return;
    this.#timeline = timeline;
    if (this.#host) this.#failOver();
  }

  #connections(): Connection[] {
    return [...this.#readers.connections, ...this.#writers.connections];
  }

  #run<Result>(group: ConnectionGroup, work: Work<Result>, due: number): Promise<Result> {
    if (this.#closed) return Promise.reject(closed());
    if (!this.#ticking) {
      this.#ticked = performance.now();
      this.#ticking = setInterval(() => this.#tick(), TICK_MS);
    }
    return group.run(work, due);
  }

  async #openAnother(group: ConnectionGroup): Promise<void> {
    if (this.#opening.has(group) || this.#closed) return;
    // Where all are lost, another server may stand there now, by the same name.
    if (this.#host && this.#isLost) this.#failOver();
    const host = this.#host;
    if (!host) return void this.#searchPrimary();
    this.#opening.add(group);
    try {
      const session = await connect(host, this.#url, this.#credentials, false);
      const isSame =
        refusalOf(session.server, this.#timeline) === undefined && session.server.timeline === this.#timeline;
      if (isSame && host === this.#host && !this.#closed) {
        return group.add(new Connection(session, this.#epoch));
      }
      session.sql.close({ timeout: 0 }).catch(() => {});
      if (!isSame && host === this.#host) this.#failOver();
    } catch (error) {
      // Where nobody has a connection, the server is in doubt. A statement that waits uses one that exists.
      if (host === this.#host && this.#isLost) this.#failOver();
      else if (group.isLost && this.#readers.isLost) {
        const message = `${nameOf(host)} ${(error as Error).message}`;
        group.rejectAll(new StoreFailure("store_unavailable", message, { cause: error }));
      }
    } finally {
      this.#opening.delete(group);
    }
  }

  get #isLost(): boolean {
    return this.#readers.isLost && this.#writers.isLost;
  }

  /** Leaves the server that is in use, and looks for the one that takes writes. */
  #failOver(): void {
    this.#host = undefined;
    for (const connection of this.#connections()) connection.leave();
    void this.#searchPrimary();
  }

  /** Looks until a server is found that takes writes. */
  async #searchPrimary(): Promise<void> {
    if (this.#searching) return;
    this.#searching = true;
    for (let pause = PAUSE_MIN_MS; !this.#closed; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      const began = performance.now();
      try {
        await this.#look();
        if (this.#writable) break;
      } catch (error) {
        const reason = new StoreFailure("store_unavailable", `PostgreSQL: ${(error as Error).message}`, {
          cause: error,
        });
        for (const group of [this.#readers, this.#writers]) group.rejectAll(reason);
      }
      // A look that waited for a silent host has been pause enough.
      await Bun.sleep(Math.max(PAUSE_MIN_MS, pause - (performance.now() - began)));
    }
    this.#searching = false;
  }

  /** @throws NoPrimary */
  async #look(): Promise<void> {
    const found = await this.#find();
    const nothingNew = !found.writable && this.#host !== undefined && this.#connections().length > 0;
    if (this.#closed || nothingNew) found.session.sql.close({ timeout: 0 }).catch(() => {});
    else this.#switchTo(found);
  }

  /** @throws NoPrimary */
  async #find(): Promise<Primary> {
    try {
      const found = await findPrimary(this.#url, this.#credentials, this.#timeline, !this.#wasFound);
      if (found.session.server.timeline >= this.#timeline) return found;
      // It was heard of a later timeline meanwhile.
      found.session.sql.close({ timeout: 0 }).catch(() => {});
      return await this.#find();
    } catch (error) {
      if (error instanceof NoPrimary) this.#timeline = Math.max(this.#timeline, error.timeline);
      throw error;
    }
  }

  /** Looks whether the server in use is there and still the primary. Its connections stay where it is. */
  async #doubt(): Promise<void> {
    if (this.#isDoubted) return;
    this.#isDoubted = true;
    const host = this.#host;
    const timeline = this.#timeline;
    try {
      const found = await this.#find();
      const isSame = found.host === host && found.session.server.timeline === timeline;
      if (host !== this.#host || this.#closed || isSame)
        found.session.sql.close({ timeout: 0 }).catch(() => {});
      else this.#switchTo(found);
    } catch {
      if (host && host === this.#host) this.#failOver();
    } finally {
      this.#isDoubted = false;
    }
  }

  #switchTo({ host, session, writable }: Primary): void {
    for (const connection of this.#connections()) connection.leave();
    this.#epoch++;
    this.#host = host;
    this.#writable = writable;
    this.#timeline = session.server.timeline;
    this.#majorVersion = session.server.majorVersion;
    if (this.#wasFound) this.#emit({ event: "database_server_found", host: nameOf(host), writable });
    this.#wasFound = true;
    this.#others.watch(host);
    this.#readers.add(new Connection(session, this.#epoch));
    if (writable) this.#writers.serve();
    else this.#writers.rejectAll(new StoreFailure("store_unavailable", `${nameOf(host)} ${READ_ONLY}`));
  }

  /**
   * Gives up what is overdue, and with it the connection. A write may wait for another server, so it says nothing of
   * this one; where a read is not answered, the server is in doubt.
   */
  #tick(): void {
    const now = performance.now();
    const sinceLast = now - this.#ticked;
    this.#ticked = now;
    // A process that was held up, for example by a machine that paused, has not yet read the answers of that time.
    if (sinceLast > HELD_UP_MS) return;
    const why = (what: string) => `${what} within ${this.#deadlineMs} ms`;
    this.#writers.sweep(now, why);
    if (this.#readers.sweep(now, why) && this.#host) void this.#doubt();
    if (!this.#readers.isIdle || !this.#writers.isIdle) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }
}

function closed(): StoreFailure {
  return new StoreFailure("store_unavailable", "the store is closed");
}
