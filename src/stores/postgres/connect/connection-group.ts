import { StoreFailure } from "../../../domain/failure.ts";
import type { Connection, Work } from "./connection.ts";

/** The most statements that may wait for a connection at once. */
const WAITING_MAX = 10_000;

/** A connection with this many statements is busy enough for another one to be opened. */
const LOAD_WANTED = 2;

interface ConnectionGroupOptions {
  /** Whether each statement needs an exclusive connection; otherwise statements share connections. */
  readonly alone: boolean;
  readonly max: number;
  /** Called when another connection would help, possibly while one is being opened. */
  readonly openAnother: () => void;
  /** Lends a connection of another group while this group has none. */
  readonly borrow?: () => Connection | undefined;
}

interface Waiting {
  readonly due: number;
  readonly start: (connection: Connection) => void;
  readonly reject: (reason: unknown) => void;
}

/** Connections of one kind to one server, and the statements that wait for them. */
export class ConnectionGroup {
  readonly #options: ConnectionGroupOptions;
  #connections: readonly Connection[] = [];
  #waiting: Waiting[] = [];

  constructor(options: ConnectionGroupOptions) {
    this.#options = options;
  }

  get connections(): readonly Connection[] {
    return this.#connections;
  }

  /** Whether all its connections are unusable. */
  get isLost(): boolean {
    return this.#connections.every(({ isDone }) => isDone);
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#connections.every(({ load }) => load === 0);
  }

  /** The open connection with the fewest statements. */
  get leastLoaded(): Connection | undefined {
    const open = this.#connections.filter(({ isOpen }) => isOpen);
    return open.reduce<Connection | undefined>((a, b) => (a && a.load <= b.load ? a : b), undefined);
  }

  /** @param due the deadline by the monotonic clock, in milliseconds */
  run<Result>(work: Work<Result>, due: number): Promise<Result> {
    const start = (connection: Connection) =>
      this.#options.alone ? connection.runAlone(work, due) : connection.run(work, due);
    const connection = this.#free();
    if (connection) return start(connection);
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new StoreFailure("overloaded", `${WAITING_MAX} wait for PostgreSQL`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ due, start: (connection) => resolve(start(connection)), reject });
    });
  }

  add(connection: Connection): void {
    this.#connections = [...this.#connections.filter(({ isDone }) => !isDone), connection];
    this.serve();
  }

  /** Starts waiting statements while connections are free. */
  serve(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#free();
      if (!connection) return;
      this.#waiting.shift()?.start(connection);
    }
  }

  rejectAll(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  /**
   * Ends connections with an overdue statement, and rejects statements that have waited too long for a connection.
   *
   * @param why completes the message about a missed deadline, given what did not happen in time
   * @returns whether any connection had an overdue statement
   */
  sweep(now: number, why: (what: string) => string): boolean {
    const overdue = this.#connections.filter((connection) => connection.isOverdue(now));
    for (const connection of overdue) connection.end(why("PostgreSQL did not answer"));
    for (const connection of this.#connections) if (connection.isDone) connection.end("closed");
    this.#connections = this.#connections.filter(({ isDone }) => !isDone);
    const late = new StoreFailure("store_unavailable", why("no connection to PostgreSQL"));
    this.#waiting = this.#waiting.filter(({ due, reject }) => {
      if (due <= now) reject(late);
      return due > now;
    });
    return overdue.length > 0;
  }

  /** A connection that can take a statement now, if any. Has another one opened if that would help. */
  #free(): Connection | undefined {
    const { alone, max, openAnother, borrow } = this.#options;
    const open = this.#connections.filter(({ isDone }) => !isDone).length;
    const best = this.leastLoaded;
    const isFree = best !== undefined && best.load < (alone ? 1 : LOAD_WANTED);
    if (!isFree && open < max) openAnother();
    if (open === 0 && borrow) return borrow();
    return alone && !isFree ? undefined : best;
  }
}
