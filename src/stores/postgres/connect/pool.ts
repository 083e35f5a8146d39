import type { SQL } from "bun";
import type { EventSink } from "../../../domain/event.ts";
import { StoreFailure } from "../../../domain/failure.ts";
import { ConnectionLost, isReadOnly } from "../errors.ts";
import { Connection, type Work } from "./connection.ts";
import { ConnectionGroup } from "./connection-group.ts";
import { Fencing } from "./fencing.ts";
import { findWait } from "./lock-holders.ts";
import { LockWait } from "./lock-wait.ts";
import { findPrimary, NoPrimary, nameOf, type Primary, refusalOf } from "./primary.ts";
import { Refused } from "./refused.ts";
import { type Credentials, connect, endSession } from "./server.ts";
import type { Host, PostgresUrl } from "./url.ts";

/** How much longer than `statement_timeout` a statement may take here, including the wait for a connection. */
const DEADLINE_MARGIN_MS = 200;
const TICK_MS = 100;
const HELD_UP_MS = 5 * TICK_MS;
const READ_ONLY = "takes no writes: its default_transaction_read_only is on";
/** The interval between searches of all hosts while no primary is found; it doubles up to the maximum. */
const PAUSE_MIN_MS = 50;
const PAUSE_MAX_MS = 500;

/** A statement that runs once on each server. */
type Prepare = (sql: SQL) => PromiseLike<unknown>;

export interface PoolOptions {
  /** Receives events when another server is used, and when a change waits for locks. */
  readonly emit?: EventSink | undefined;
  /** The epoch of the first server; 1 by default. */
  readonly epoch?: number | undefined;
  /** Whether to report what a change waits for, since a person is waiting and the change may take long. */
  readonly reportWaits?: boolean | undefined;
}

/** A change that PostgreSQL has committed. */
interface Committed<Result> {
  readonly result: Result;
  /** Rejects with a `StoreFailure` if the change must not be acknowledged. */
  readonly confirmed: Promise<void>;
}

/**
 * The connection pool: connections to the primary among the servers that a URL names. When the primary is lost, does not
 * answer or turns read-only, the pool fails over: it asks all servers repeatedly until one is the primary. Meanwhile every
 * waiting statement gets its result or failure in time.
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
    // Opening a connection may take longer than a client waits, and a full server refuses it.
    borrow: () => this.#readers.leastLoaded,
  });
  readonly #opening = new Set<ConnectionGroup>();
  /** The server in use; `undefined` while the pool searches for one. */
  #host: Host | undefined;
  #writable = false;
  #majorVersion = 0;
  readonly #fencing: Fencing;
  readonly #emit: EventSink;
  readonly #reportWaits: boolean;
  /** Grows by one with each server that the pool switches to. */
  #epoch: number;
  /** See `prepareEachServer`. */
  #prepare: Prepare = async () => {};
  #preparedEpoch = 0;
  #searching = false;
  #isDoubted = false;
  /** Whether the pool has ever found a server. */
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
    this.#fencing = new Fencing(url, credentials, {
      read: (work, due) => this.#run(this.#readers, work, due),
      deadlineMs: this.#deadlineMs,
      onReplaced: () => {
        if (this.#host) this.#failOver();
      },
    });
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
        throw new NoPrimary([pool.#host as Host], [new Refused(READ_ONLY)], pool.#fencing.timeline);
      } catch (error) {
        const mayRetry = error instanceof NoPrimary && error.transient && performance.now() < giveUpAt;
        if (!mayRetry) throw error;
        await Bun.sleep(PAUSE_MAX_MS);
      }
    }
  }

  /** The major version of the current or last server. */
  get majorVersion(): number {
    return this.#majorVersion;
  }

  /** How long a statement may take, in milliseconds, including the wait for a connection. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Whether the last known state of the server allows writes. */
  get isWritable(): boolean {
    return this.#writable;
  }

  /** Sets a statement that runs before the first write to each server, including the current one. */
  prepareEachServer(prepare: Prepare): void {
    this.#prepare = prepare;
    this.#preparedEpoch = 0;
  }

  /**
   * Runs a statement that changes nothing, on a connection that it shares with others. If the connection is lost, it runs
   * once more.
   *
   * @throws StoreFailure if it gets no answer in time
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
   * Runs a change once, on an exclusive connection, and waits for its confirmation: see `commit`.
   *
   * @throws StoreFailure if it was not answered in time or not confirmed; whether the change was made is then unknown
   */
  async write<Result>(work: Work<Result>, withinMs?: number): Promise<Result> {
    const { result, confirmed } = await this.commit(work, withinMs);
    await confirmed;
    return result;
  }

  /**
   * Runs a change once, on an exclusive connection, which is free again when this resolves. The change must not be
   * acknowledged before `confirmed` resolves: see `Fencing`.
   *
   * A write is never cancelled, since PostgreSQL reports success for a commit whose wait for a standby was cancelled. A
   * write that takes too long loses its connection instead.
   *
   * @throws StoreFailure if it was not answered in time; whether the change was made is then unknown
   */
  async commit<Result>(work: Work<Result>, withinMs = this.#deadlineMs): Promise<Committed<Result>> {
    if (this.#host && !this.#writable) {
      throw new StoreFailure("store_unavailable", `${nameOf(this.#host)} ${READ_ONLY}`);
    }
    let timeline = 0;
    let began = 0;
    let watching: Disposable | undefined;
    const noted: Work<Result> = (sql, epoch, process) => {
      timeline = this.#fencing.timeline;
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
      const confirmed = this.#fencing.confirm(timeline, performance.now() - began);
      // A caller with several statements awaits this later, or never if another of them fails.
      confirmed.catch(() => {});
      return { result, confirmed };
    } catch (error) {
      if (isReadOnly(error)) this.#failOver();
      throw error;
    } finally {
      watching?.[Symbol.dispose]();
      this.#writers.serve();
      // The write may have borrowed a connection that reads wait for.
      this.#readers.serve();
    }
  }

  /** Ends all connections once their statements are done or overdue. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#fencing.stop();
    const all = this.#connections();
    for (const group of [this.#readers, this.#writers]) {
      group.rejectAll(closed());
    }
    for (const connection of all) connection.leave();
    while (all.some(({ isDone }) => !isDone)) await Bun.sleep(TICK_MS / 10);
    for (const connection of all) connection.end("closed");
    clearInterval(this.#ticking);
  }

  #watchWait(process: number): Disposable | undefined {
    if (!this.#reportWaits) return undefined;
    return new LockWait("this command", this.#emit).watch(() => this.read((sql) => findWait(sql, process)));
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
    // If all connections are lost, another server may now have the same name.
    if (this.#host && this.#isLost) this.#failOver();
    const host = this.#host;
    if (!host) return void this.#searchPrimary();
    this.#opening.add(group);
    try {
      const session = await connect(host, this.#url, this.#credentials, false);
      const isSame =
        refusalOf(session.server, this.#fencing.timeline) === undefined &&
        session.server.timeline === this.#fencing.timeline;
      if (isSame && host === this.#host && !this.#closed) {
        return group.add(new Connection(session, this.#epoch));
      }
      endSession(session);
      if (!isSame && host === this.#host) this.#failOver();
    } catch (error) {
      // Without any connection the server is in doubt. Otherwise a waiting statement can use an existing connection.
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

  /** Failover: leaves the server in use, and searches for the primary. */
  #failOver(): void {
    this.#host = undefined;
    for (const connection of this.#connections()) connection.leave();
    void this.#searchPrimary();
  }

  /** Searches until a server is found that allows writes. */
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
      // A search that waited for a silent host needs no further pause.
      await Bun.sleep(Math.max(PAUSE_MIN_MS, pause - (performance.now() - began)));
    }
    this.#searching = false;
  }

  /** @throws NoPrimary */
  async #look(): Promise<void> {
    const found = await this.#find();
    const nothingNew = !found.writable && this.#host !== undefined && this.#connections().length > 0;
    if (this.#closed || nothingNew) endSession(found.session);
    else this.#switchTo(found);
  }

  /** @throws NoPrimary */
  async #find(): Promise<Primary> {
    try {
      const found = await findPrimary(this.#url, this.#credentials, this.#fencing.timeline, !this.#wasFound);
      if (found.session.server.timeline >= this.#fencing.timeline) return found;
      // Meanwhile another server has reported a later timeline.
      endSession(found.session);
      return await this.#find();
    } catch (error) {
      if (error instanceof NoPrimary) this.#fencing.raise(error.timeline);
      throw error;
    }
  }

  /** Checks that the server in use is alive and still the primary. If so, its connections stay. */
  async #doubt(): Promise<void> {
    if (this.#isDoubted) return;
    this.#isDoubted = true;
    const host = this.#host;
    const timeline = this.#fencing.timeline;
    try {
      const found = await this.#find();
      const isSame = found.host === host && found.session.server.timeline === timeline;
      if (host !== this.#host || this.#closed || isSame) endSession(found.session);
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
    this.#fencing.raise(session.server.timeline);
    this.#majorVersion = session.server.majorVersion;
    if (this.#wasFound) this.#emit({ event: "database_server_found", host: nameOf(host), writable });
    this.#wasFound = true;
    this.#fencing.watch(host);
    this.#readers.add(new Connection(session, this.#epoch));
    if (writable) this.#writers.serve();
    else this.#writers.rejectAll(new StoreFailure("store_unavailable", `${nameOf(host)} ${READ_ONLY}`));
  }

  /**
   * Gives up overdue statements and their connections. An overdue write may be waiting for a standby, so it says nothing
   * about this server. An overdue read puts the server in doubt.
   */
  #tick(): void {
    const now = performance.now();
    const sinceLast = now - this.#ticked;
    this.#ticked = now;
    // After a pause, for example of the whole machine, this process has not yet read the answers that arrived meanwhile.
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
