import type { SQL } from "bun";
import type { Revision } from "../../domain/revision.ts";
import type { Work } from "./connect/connection.ts";
import type { Pool } from "./connect/pool.ts";
import { isConnectionLost, translate } from "./errors.ts";

interface Read {
  readonly work: Work<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Combines all reads of one turn of the event loop into one packet, in their order. The server takes a later snapshot for
 * each later statement, so a read that follows the revision is never older than it. All requests of a turn share one
 * revision.
 *
 * Reads of operations that are not stable form a second packet, on a connection of their own kind: while one of their tables
 * is locked, they hold up no stable operation. That packet leaves once the turn's revision is known, for the same order.
 */
export class ReadBatcher {
  readonly #pool: Pool;
  #next: Read[] = [];
  #nextApart: Read[] = [];
  /** Whether `together` is collecting reads. */
  #collecting = false;
  #revision: Promise<Revision> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws StoreFailure if it gets no answer in time */
  run<Result>(work: Work<Result>): Promise<Result> {
    return this.#add(() => this.#next, work);
  }

  /**
   * Runs a read of an operation that is not stable.
   *
   * @throws StoreFailure if it gets no answer in time
   */
  runApart<Result>(work: Work<Result>): Promise<Result> {
    return this.#add(() => this.#nextApart, work);
  }

  /** Sends all reads of `work`, together with earlier ones, as soon as `work` returns or throws. */
  together<Result>(work: (revision: Promise<Revision>) => Result): Result {
    this.#collecting = true;
    try {
      return work(this.revision());
    } finally {
      this.#collecting = false;
      this.#send();
    }
  }

  revision(): Promise<Revision> {
    this.#revision ??= this.run(readRevision);
    return this.#revision;
  }

  #add<Result>(reads: () => Read[], work: Work<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const isFirst = this.#next.length === 0 && this.#nextApart.length === 0;
      if (isFirst && !this.#collecting) setImmediate(() => this.#send());
      reads().push({ work, resolve, reject });
    });
  }

  #send(): void {
    const [reads, apart, revision] = [this.#next, this.#nextApart, this.#revision];
    this.#next = [];
    this.#nextApart = [];
    this.#revision = undefined;
    if (reads.length > 0) void settle(reads, (all) => this.#pool.read(all));
    if (apart.length > 0) void settle(apart, (all) => this.#readApart(all, revision));
  }

  async #readApart(all: Work<unknown>, revision: Promise<Revision> | undefined): Promise<void> {
    await revision;
    await this.#pool.readApart(all);
  }
}

/** Sends reads in one packet, and settles each. */
async function settle(reads: readonly Read[], send: (all: Work<unknown>) => Promise<unknown>): Promise<void> {
  try {
    await send((...on) => Promise.all(reads.map((read) => start(read, on))));
  } catch (error) {
    for (const { reject } of reads) reject(error);
  }
}

/** Settles one read. Rejects only if the connection was lost, so that the pool repeats all of them. */
async function start({ work, resolve, reject }: Read, on: Parameters<Work<unknown>>): Promise<void> {
  try {
    resolve((await work(...on)) as never);
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    reject(translate(error));
  }
}

/**
 * `ORDER BY … LIMIT 1` instead of `max()`: before PostgreSQL 18, a plan for `max()` that is made while a log is nearly empty
 * reads the whole log, and a connection keeps its plans while the log grows. It also takes 35 µs of the server's CPU instead
 * of 41.
 */
async function readRevision(sql: SQL, epoch: number): Promise<Revision> {
  const [row] = await sql`
    SELECT (SELECT number FROM animal_store.append_log ORDER BY number DESC LIMIT 1) AS appends,
           (SELECT number FROM animal_store.rewrite_log ORDER BY number DESC LIMIT 1) AS rewrites,
           keys_revision AS keys
      FROM animal_store.state WHERE single`;
  const rewrite = Number(row.rewrites ?? 0);
  return { epoch, append: Number(row.appends ?? 0) + rewrite, rewrite, keys: Number(row.keys) };
}
