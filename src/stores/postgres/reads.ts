import type { SQL } from "bun";
import type { Revision } from "../../domain/store.ts";
import type { Work } from "./connection.ts";
import { isConnectionLost, translate } from "./errors.ts";
import type { Pool } from "./pool.ts";

interface Read {
  readonly work: Work<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * All that is read in one turn of the event loop goes together, in one packet, in the order in which it was
 * asked for: the server takes each later snapshot later. So what is read after the revision, in the same turn,
 * is no older; and all who ask for the revision in one turn share it.
 */
export class Reads {
  readonly #pool: Pool;
  #next: Read[] = [];
  #revision: Promise<Revision> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws StoreFailure where it cannot be answered now */
  run<Result>(work: Work<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#next.length === 0) setImmediate(() => this.#send());
      this.#next.push({ work, resolve, reject });
    });
  }

  revision(): Promise<Revision> {
    this.#revision ??= this.run(readRevision);
    return this.#revision;
  }

  #send(): void {
    const reads = this.#next;
    this.#next = [];
    this.#revision = undefined;
    const all: Work<unknown> = (sql, epoch) => Promise.all(reads.map((read) => start(read, sql, epoch)));
    this.#pool.read(all).catch((error) => {
      for (const { reject } of reads) reject(error);
    });
  }
}

/** Rejects where the connection was lost, so that all can be asked for again; else it has told who asked. */
async function start({ work, resolve, reject }: Read, sql: SQL, epoch: number): Promise<void> {
  try {
    resolve((await work(sql, epoch)) as never);
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    reject(translate(error));
  }
}

async function readRevision(sql: SQL, epoch: number): Promise<Revision> {
  const [row] = await sql`
    SELECT stock_revision AS stock, past_revision AS past, keys_revision AS keys
      FROM animal_store.state WHERE single`;
  return {
    stock: revisionOf(row.stock, epoch),
    past: revisionOf(row.past, epoch),
    keys: revisionOf(row.keys, epoch),
  };
}

/** Of 53 bits that a number keeps exactly: enough for a thousand changes a second in 34 years. */
const REVISION_BITS = 40;

/**
 * A revision as those outside see it. It grows with every server that is found, since a standby may not have had
 * all that its primary had, and what was kept of that must not be taken for what comes after.
 */
export function revisionOf(kept: bigint, epoch: number): number {
  return epoch * 2 ** REVISION_BITS + Number(kept);
}

/** What a revision was in the database, where the server is still the same; else a number that none has. */
export function keptRevisionOf(revision: number, epoch: number): number {
  const kept = revision - epoch * 2 ** REVISION_BITS;
  return kept >= 0 && kept < 2 ** REVISION_BITS ? kept : -1;
}
