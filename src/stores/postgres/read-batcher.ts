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
 */
export class ReadBatcher {
  readonly #pool: Pool;
  #next: Read[] = [];
  /** Whether `together` is collecting reads. */
  #collecting = false;
  #revision: Promise<Revision> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws StoreFailure if it gets no answer in time */
  run<Result>(work: Work<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#next.length === 0 && !this.#collecting) setImmediate(() => this.#send());
      this.#next.push({ work, resolve, reject });
    });
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

  #send(): void {
    const reads = this.#next;
    if (reads.length === 0) return;
    this.#next = [];
    this.#revision = undefined;
    const all: Work<unknown> = (...on) => Promise.all(reads.map((read) => start(read, on)));
    this.#pool.read(all).catch((error) => {
      for (const { reject } of reads) reject(error);
    });
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
