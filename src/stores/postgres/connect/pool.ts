import type { SQL } from "bun";
import { StoreFailure } from "../../../domain/failure.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import { ConnectionLost, isReadOnly, isStoreGone } from "../errors.ts";
import { Connection, type Work } from "./connection.ts";
import { ConnectionGroup } from "./connection-group.ts";
import { Failover } from "./failover.ts";
import { Fencing } from "./fencing.ts";
import { findWait, type Wait } from "./lock-holders.ts";
import { LockWait } from "./lock-wait.ts";
import { NoPrimary, nameOf, refusalOf } from "./primary.ts";
import { Refused } from "./refused.ts";
import { connect, endSession, type Target } from "./server.ts";
import type { ServerInfo } from "./server-info.ts";
import { SharedSession } from "./transaction-pooler.ts";
import type { Host } from "./url.ts";

/** How much longer than `statement_timeout` a statement may take here, including the wait for a connection. */
const DEADLINE_MARGIN_MS = 200;
const TICK_MS = 100;
/** How often to look for what a change waits for. */
const LOOK_EVERY_MAX_MS = 1000;
const HELD_UP_MS = 5 * TICK_MS;
const READ_ONLY = "takes no writes: its default_transaction_read_only is on";
/** The pause before a server that is starting is asked again. */
const START_PAUSE_MS = 500;

/** A statement that runs once on each server. */
type Prepare = (sql: SQL) => PromiseLike<unknown>;

export interface PoolOptions {
  /** Receives events when another server is used, and when a change waits: see `reportWaits`. */
  readonly emit?: ObservationSink | undefined;
  /** The epoch of the first server; 1 by default. */
  readonly epoch?: number | undefined;
}

/** A change that PostgreSQL has committed. */
interface Committed<Result> {
  readonly result: Result;
  /** Rejects with a `StoreFailure` if the change must not be acknowledged. */
  readonly confirmed: Promise<void>;
}

/**
 * The connection pool: connections to the primary among the servers that a URL names. While `Failover` searches for a
 * primary, every waiting statement gets its result or failure in time.
 */
export class Pool {
  readonly #target: Target;
  readonly #deadlineMs: number;
  readonly #readers: ConnectionGroup = new ConnectionGroup({
    alone: false,
    max: 3,
    openAnother: () => void this.#openAnother(this.#readers),
  });
  /** For `readApart`. */
  readonly #apart: ConnectionGroup = new ConnectionGroup({
    alone: false,
    max: 1,
    openAnother: () => void this.#openAnother(this.#apart),
    // A full server refuses it. Before that is known, a read that borrowed a connection might keep it from the others.
    borrow: () => (this.#isApartRefused ? this.#readers.leastLoaded : undefined),
  });
  #isApartRefused = false;
  readonly #writers: ConnectionGroup = new ConnectionGroup({
    alone: true,
    max: 2,
    openAnother: () => void this.#openAnother(this.#writers),
    // Opening a connection may take longer than a client waits, and a full server refuses it.
    borrow: () => this.#readers.leastLoaded,
  });
  readonly #groups = [this.#readers, this.#apart, this.#writers];
  readonly #opening = new Set<ConnectionGroup>();
  readonly #failover: Failover;
  readonly #fencing: Fencing;
  readonly #emit: ObservationSink;
  #waiting: LockWait | undefined;
  /** The server processes with a write under way, and when each began, or was last asked what it waits for. */
  readonly #writing = new Map<number, number>();
  /** See `prepareEachServer`. */
  #prepare: Prepare = async () => {};
  #preparedEpoch = 0;
  #onServerInUse: (host: Host) => void = () => {};
  #closed = false;
  #ticking: Timer | undefined;
  #ticked = 0;

  private constructor(target: Target, options: PoolOptions) {
    const { emit = () => {}, epoch = 1 } = options;
    this.#emit = emit;
    this.#target = target;
    this.#deadlineMs = target.options.statementTimeoutMs + DEADLINE_MARGIN_MS;
    this.#fencing = new Fencing(target, {
      read: (work, due) => this.#run(this.#readers, work, due),
      deadlineMs: this.#deadlineMs,
      emit,
      onReplaced: () => {
        if (this.#failover.host) this.#failover.start();
      },
    });
    const connections = {
      isEmpty: () => this.#connections().length === 0,
      leave: () => {
        for (const connection of this.#connections()) connection.leave();
      },
      use: (connection: Connection) => this.#use(connection),
      rejectAll: (reason: StoreFailure) => {
        for (const group of this.#groups) group.rejectAll(reason);
      },
    };
    this.#failover = new Failover(target, this.#fencing, connections, emit, epoch);
  }

  /**
   * @param startWaitMaxMs how long to wait for a server that is starting or has no free connection
   * @throws NoPrimary
   */
  static async open(target: Target, startWaitMaxMs: number, options: PoolOptions): Promise<Pool> {
    const pool = new Pool(target, options);
    const giveUpAt = performance.now() + startWaitMaxMs;
    for (;;) {
      try {
        await pool.#failover.look();
        break;
      } catch (error) {
        const mayRetry = error instanceof NoPrimary && error.transient && performance.now() < giveUpAt;
        if (!mayRetry) throw error;
        await Bun.sleep(START_PAUSE_MS);
      }
    }
    if (pool.isWritable) return pool;
    await pool.close();
    throw new NoPrimary([pool.#failover.host as Host], [new Refused(READ_ONLY)], pool.#fencing.timeline);
  }

  /** The servers that the URL names, and how to connect to them. */
  get target(): Target {
    return this.#target;
  }

  /** The major version of the current or last server. */
  get majorVersion(): number {
    return this.#failover.majorVersion;
  }

  /** How long a statement may take, in milliseconds, including the wait for a connection. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Whether the last known state of the server allows writes. */
  get isWritable(): boolean {
    return this.#failover.isWritable;
  }

  /**
   * From now on reports what a change waits for, well before its deadline.
   *
   * @param work what waits, for example "this command"
   */
  reportWaits(work: string): void {
    this.#waiting = new LockWait(work, this.#emit);
  }

  /** Finds what a write under way waits for, if any does. */
  async findWriteWait(): Promise<Wait | undefined> {
    const finding = [...this.#writing.keys()].map((process) => this.read((sql) => findWait(sql, process)));
    return (await Promise.all(finding)).find((wait) => wait !== undefined);
  }

  /** Sets a statement that runs before the first write to each server, including the current one. */
  prepareEachServer(prepare: Prepare): void {
    this.#prepare = prepare;
    this.#preparedEpoch = 0;
  }

  /** From now on gives no statement to a database without the store. */
  expectStore(): void {
    this.#failover.expectStore();
  }

  /** See `Fencing.foreign`. */
  foreign(server: ServerInfo): Refused | undefined {
    return this.#fencing.foreign(server);
  }

  /** See `Failover.leaveEarlierState`. */
  leaveEarlierState(epoch: number): number {
    return this.#failover.leaveEarlierState(epoch);
  }

  /** Calls a function with the server in use, now and whenever that is another one. */
  onServerInUse(listener: (host: Host) => void): void {
    this.#onServerInUse = listener;
    if (this.#failover.host) listener(this.#failover.host);
  }

  /**
   * Runs a statement that changes nothing, on a connection that it shares with others. If the connection is lost, it runs
   * once more.
   *
   * @throws StoreFailure if it gets no answer in time
   */
  read<Result>(work: Work<Result>): Promise<Result> {
    return this.#readOn(this.#readers, work);
  }

  /**
   * Runs a statement as `read` does, on a connection of its own kind: while it waits for a lock, it holds up no statement but
   * those that also run apart.
   *
   * @throws StoreFailure if it gets no answer in time
   */
  readApart<Result>(work: Work<Result>): Promise<Result> {
    return this.#readOn(this.#apart, work);
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
    const { host, isWritable } = this.#failover;
    if (host && !isWritable) throw readOnly(host);
    let timeline = 0;
    let began = 0;
    let writer: number | undefined;
    const noted: Work<Result> = (sql, epoch, process) => {
      timeline = this.#fencing.timeline;
      began = performance.now();
      this.#writing.set(process, began);
      writer = process;
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
      if (isReadOnly(error)) this.#failover.start();
      throw await this.#explain(error);
    } finally {
      if (writer !== undefined) this.#writing.delete(writer);
      this.#writers.serve();
      // The write may have borrowed a connection that reads wait for.
      this.#readers.serve();
    }
  }

  /** Ends all connections once their statements are done or overdue. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failover.stop();
    this.#fencing.stop();
    const all = this.#connections();
    for (const group of this.#groups) group.rejectAll(closed());
    for (const connection of all) connection.leave();
    while (all.some(({ isDone }) => !isDone)) await Bun.sleep(TICK_MS / 10);
    for (const connection of all) connection.end("closed");
    clearInterval(this.#ticking);
  }

  async #readOn<Result>(group: ConnectionGroup, work: Work<Result>): Promise<Result> {
    const due = performance.now() + this.#deadlineMs;
    try {
      return await this.#run(group, work, due);
    } catch (error) {
      if (!(error instanceof ConnectionLost) || performance.now() > due - TICK_MS)
        throw await this.#explain(error);
      return this.#run(group, work, due);
    }
  }

  /** The reason why a statement failed: a table may be missing because the store is gone from the database. */
  async #explain(error: unknown): Promise<unknown> {
    if (!isStoreGone(error)) return error;
    // Even if the store is whole again by now, it may be another one.
    this.#failover.start();
    const due = performance.now() + this.#deadlineMs;
    return await this.#run(this.#readers, (sql) => sql`SELECT 1`, due).then(
      () => error,
      (reason) => reason,
    );
  }

  /** Looks for what each write waits for that has run for long, and reports it. */
  #reportWaitsOf(waiting: LockWait, now: number): void {
    const lookEveryMs = Math.min(this.#deadlineMs / 2, LOOK_EVERY_MAX_MS);
    for (const [process, asked] of this.#writing) {
      if (now - asked < lookEveryMs) continue;
      this.#writing.set(process, now);
      void waiting.look(() => this.read((sql) => findWait(sql, process)));
    }
  }

  #connections(): Connection[] {
    return this.#groups.flatMap(({ connections }) => connections);
  }

  #use(connection: Connection): void {
    this.#readers.add(connection);
    this.#apart.serve();
    const { isWritable } = this.#failover;
    const host = this.#failover.host as Host;
    this.#onServerInUse(host);
    if (isWritable) this.#writers.serve();
    else this.#writers.rejectAll(readOnly(host));
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
    const failover = this.#failover;
    // If all connections are lost, another server may now have the same name.
    if (failover.host && this.#isLost) failover.start();
    const { host } = failover;
    if (!host) return void failover.search();
    this.#opening.add(group);
    const mayUse = failover.expectation();
    try {
      const session = await connect(host, this.#target, false);
      const { timeline, cluster } = this.#fencing;
      const isSame =
        refusalOf(session.server, timeline, cluster) === undefined &&
        failover.isInUse(session.server) &&
        mayUse(session.server);
      // Once no other connection has lasted, nobody has watched this server.
      const isKnown = isSame && !this.#isLost;
      if (isKnown && host === failover.host && !this.#closed) {
        if (group === this.#apart) this.#isApartRefused = false;
        return group.add(new Connection(session, failover.epoch));
      }
      void endSession(session);
      if (!isKnown && host === failover.host) failover.start();
    } catch (error) {
      if (group === this.#apart) this.#isApartRefused = true;
      // Without any connection the server is in doubt. Otherwise a waiting statement can use an existing connection, unless
      // the pooler in between shares that one too by now.
      const isInDoubt = this.#isLost || error instanceof SharedSession;
      if (host === failover.host && isInDoubt) failover.start();
      else if (group.isLost && this.#readers.isLost) {
        const message = `${nameOf(host)} ${(error as Error).message}`;
        group.rejectAll(new StoreFailure("store_unavailable", message, { cause: error }));
      }
      this.#apart.serve();
    } finally {
      this.#opening.delete(group);
    }
  }

  get #isLost(): boolean {
    return this.#groups.every(({ isLost }) => isLost);
  }

  /**
   * Looks at writes that take long, and gives up overdue statements and their connections. An overdue write may be waiting for
   * a standby, so it says nothing about this server. An overdue read puts the server in doubt.
   */
  #tick(): void {
    const now = performance.now();
    const sinceLast = now - this.#ticked;
    this.#ticked = now;
    // After a pause, for example of the whole machine, this process has not yet read the answers that arrived meanwhile.
    if (sinceLast > HELD_UP_MS) return;
    if (this.#waiting) this.#reportWaitsOf(this.#waiting, now);
    const why = (what: string) => `${what} within ${this.#deadlineMs} ms`;
    this.#writers.sweep(now, why);
    for (const group of [this.#readers, this.#apart]) {
      if (group.sweep(now, why)) void this.#failover.doubt();
    }
    if (this.#groups.some(({ isIdle }) => !isIdle)) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }
}

function readOnly(host: Host): StoreFailure {
  return new StoreFailure("store_unavailable", `${nameOf(host)} ${READ_ONLY}`);
}

function closed(): StoreFailure {
  return new StoreFailure("store_unavailable", "the store is closed");
}
