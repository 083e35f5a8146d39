import { StoreFailure } from "../../../domain/failure.ts";
import type { ObservationSink } from "../../../observations/observation.ts";
import { Pauses } from "../../../system/pauses.ts";
import { Connection } from "./connection.ts";
import type { Fencing } from "./fencing.ts";
import { findPrimary, NoPrimary, nameOf, type Primary } from "./primary.ts";
import { Refused } from "./refused.ts";
import { endSession, type Target } from "./server.ts";
import type { ServerInfo } from "./server-info.ts";
import type { Host } from "./url.ts";

/** The interval between searches of all hosts while no primary is found; it doubles up to the maximum. */
const PAUSE_MIN_MS = 50;
const PAUSE_MAX_MS = 500;

/** The connections to the server in use, and the statements that wait for one. */
interface Connections {
  /** Whether there are no connections. */
  isEmpty(): boolean;
  /** Lets all connections end once their statements are done. */
  leave(): void;
  /** Receives the first connection to another server. */
  use(connection: Connection): void;
  /** Rejects all statements that wait for a connection. */
  rejectAll(reason: StoreFailure): void;
}

/**
 * Failover: decides which of the servers that a URL names is in use. When the primary is lost, does not answer or turns
 * read-only, it asks all servers repeatedly until one is the primary.
 */
export class Failover {
  readonly #target: Target;
  readonly #fencing: Fencing;
  readonly #connections: Connections;
  readonly #emit: ObservationSink;
  #host: Host | undefined;
  /** The server that was found last, which may be lost by now. */
  #found: Primary | undefined;
  #epoch: number;
  #isSearching = false;
  #isDoubted = false;
  #isStopped = false;
  /** Whether a server is used only if its database holds the store. */
  #expectsStore = false;

  /** @param epoch the epoch of the first server */
  constructor(
    target: Target,
    fencing: Fencing,
    connections: Connections,
    emit: ObservationSink,
    epoch: number,
  ) {
    this.#target = target;
    this.#fencing = fencing;
    this.#connections = connections;
    this.#emit = emit;
    this.#epoch = epoch - 1;
  }

  /** The server in use; `undefined` during a search. */
  get host(): Host | undefined {
    return this.#host;
  }

  /** Whether the last known state of the server allows writes. */
  get isWritable(): boolean {
    return this.#found?.writable ?? false;
  }

  /** The major version of the current or last server. */
  get majorVersion(): number {
    return this.#found?.session.server.majorVersion ?? 0;
  }

  /** Grows by one with each other server: see `Revision`. */
  get epoch(): number {
    return this.#epoch;
  }

  /** From now on uses no server whose database has lost the store, or has not got all of it back yet. */
  expectStore(): void {
    this.#expectsStore = true;
  }

  /** Which of the servers that are asked from now on may be used. At a first start, some are asked before there is a store. */
  expectation(): (server: ServerInfo) => boolean {
    const expectsStore = this.#expectsStore;
    return ({ holdsStore }) => holdsStore || !expectsStore;
  }

  /**
   * Whether a new connection leads to the server in use, as it was found: not to its successor at the same address, and not
   * to the same server that has been started again, perhaps from an earlier state. A connection that was made before such a
   * start may seem to last, since the end of its server's machine says no goodbye.
   */
  isInUse({ timeline, began, database }: ServerInfo): boolean {
    const found = this.#found?.session.server;
    return timeline === this.#fencing.timeline && began === found?.began && database === found.database;
  }

  /** Leaves the server in use, and searches for the primary. */
  start(): void {
    this.#host = undefined;
    this.#connections.leave();
    void this.search();
  }

  /**
   * The server in use has gone on from an earlier state: what is known of it counts no more, and it is searched for again.
   *
   * @param epoch in which it had shown more
   * @returns the epoch of what it shows now, between that of this server and that of the next
   */
  leaveEarlierState(epoch: number): number {
    if (epoch === this.#epoch && this.#host) this.start();
    return epoch + 0.5;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Searches until a server is found that allows writes, unless a search is under way. */
  async search(): Promise<void> {
    if (this.#isSearching) return;
    this.#isSearching = true;
    const pauses = new Pauses(PAUSE_MIN_MS, PAUSE_MAX_MS);
    while (!this.#isStopped) {
      const began = performance.now();
      try {
        await this.look();
        if (this.isWritable) break;
      } catch (error) {
        const message = `PostgreSQL: ${(error as Error).message}`;
        this.#connections.rejectAll(new StoreFailure("store_unavailable", message, { cause: error }));
      }
      // A search that waited for a silent host needs no further pause.
      await pauses.wait(performance.now() - began);
    }
    this.#isSearching = false;
  }

  /**
   * Asks all servers once.
   *
   * @throws NoPrimary
   */
  async look(): Promise<void> {
    const found = await this.#find();
    const nothingNew = !found.writable && this.#host !== undefined && !this.#connections.isEmpty();
    if (this.#isStopped || nothingNew) void endSession(found.session);
    else this.#switchTo(found);
  }

  /** Checks that the server in use is alive, still the primary, and holds the store. If so, its connections stay. */
  async doubt(): Promise<void> {
    if (this.#isDoubted || !this.#host) return;
    this.#isDoubted = true;
    const host = this.#host;
    try {
      const found = await this.#find();
      const isSame = found.host === host && this.isInUse(found.session.server);
      if (host !== this.#host || this.#isStopped || isSame) void endSession(found.session);
      else this.#switchTo(found);
    } catch {
      if (host === this.#host) this.start();
    } finally {
      this.#isDoubted = false;
    }
  }

  /** @throws NoPrimary */
  async #find(): Promise<Primary> {
    const mayUse = this.expectation();
    try {
      const found = await findPrimary(
        this.#target,
        this.#fencing.timeline,
        !this.#found,
        this.#fencing.cluster,
      );
      const { host, session } = found;
      if (!mayUse(session.server)) {
        void endSession(session);
        throw new NoPrimary([host], [storeGone(this.#target)], 0);
      }
      if (session.server.timeline >= this.#fencing.timeline) return found;
      // Meanwhile another server has reported a later timeline.
      void endSession(session);
      return await this.#find();
    } catch (error) {
      if (error instanceof NoPrimary) this.#fencing.raise(error.timeline);
      throw error;
    }
  }

  #switchTo(found: Primary): void {
    const { host, session, writable } = found;
    this.#connections.leave();
    this.#epoch++;
    this.#host = host;
    this.#fencing.raise(session.server.timeline);
    this.#fencing.belongsTo(session.server);
    if (this.#found) this.#emit({ event: "database_server_found", host: nameOf(host), writable });
    this.#found = found;
    this.#fencing.watch(host);
    this.#connections.use(new Connection(session, this.#epoch));
  }
}

function storeGone({ database }: Target): Refused {
  return new Refused(
    `has no store in the database ${database}: the schema animal_store is gone, or not all of it is restored; ` +
      "restore it, and requests succeed again",
  );
}
