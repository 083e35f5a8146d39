import type { SQL } from "bun";
import type { NewAnimal } from "../../domain/animal.ts";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";
import type { Revision } from "../../domain/revision.ts";
import type { Added } from "../../domain/store.ts";
import { type Create, type CreateOutcome, resultsOf } from "../create.ts";
import type { WrittenBatch } from "../group-commit.ts";
import { column, columnsOf } from "./columns.ts";
import type { Pool } from "./connect/pool.ts";
import { PLAIN, RETRYABLE, type Statements } from "./create-statements.ts";
import { distinct } from "./distinct.ts";
import { isNumberTaken } from "./errors.ts";
import { Transactions } from "./transactions.ts";
import { keysLimit, writeParts } from "./write-parts.ts";

/** How often ids are looked for that nobody has taken by hand, before the rows themselves are doubted. */
const ATTEMPTS_MAX = 3;

/** What an instance knows of the feed; the database knows better. */
interface LastKnownFeed {
  isRecording: boolean;
}

interface Written {
  readonly id: bigint;
  /** The content of the create that used the same `Idempotency-Key` first, if there is a key. */
  readonly digest: string | null;
  /** Whether that was in an earlier batch. */
  readonly earlier: boolean;
}

/**
 * Writes a batch of creates, in as many transactions as it takes. Every statement locks the row of `state` first and
 * takes its ids under that lock, which is held until the commit: so ids become visible in their order. The row is never
 * written: while a snapshot is held PostgreSQL keeps every version of it, and every request reads it.
 *
 * What a statement reads may be older than its wait for the lock. So it asks the index whether an `Idempotency-Key`
 * was used (`ON CONFLICT`), which always sees the latest. Records are claimed in the order of their keys, as those of
 * orders are, so that the two never wait for each other in a ring.
 *
 * @param now milliseconds since 1970
 * @param feed what was known of it last, and is known afterwards
 */
export async function writeCreates(
  pool: Pool,
  creates: readonly Create[],
  now: number,
  feed: LastKnownFeed,
): Promise<WrittenBatch<Added>> {
  const transactions = new Transactions(pool);
  const writer = new CreateWriter(transactions, now, feed);
  const outcomes = await writeParts<Create, CreateOutcome>(creates, {
    write: (some, ifKeysAt) => writer.write(some, ifKeysAt),
    keysChanged: { keysChanged: true },
    refused: (reason) => ({ refused: reason }),
  });
  return { results: resultsOf(creates, outcomes), confirmed: transactions.confirmed() };
}

class CreateWriter {
  readonly #transactions: Transactions;
  readonly #now: number;
  readonly #feed: LastKnownFeed;

  constructor(transactions: Transactions, now: number, feed: LastKnownFeed) {
    this.#transactions = transactions;
    this.#now = now;
    this.#feed = feed;
  }

  /** Where an animal that was inserted by hand has the next id, ids are taken from behind it. */
  async write(creates: readonly Create[], ifKeysAt: Revision | undefined): Promise<readonly CreateOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await (creates.some(({ idempotency }) => idempotency)
          ? this.#writeRetryable(ifKeysAt, creates)
          : this.#writePlain(ifKeysAt, creates));
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isNumberTaken(error)) throw error;
        await this.#transactions.commit(
          (sql) => sql`SELECT animal_store.lock_animal_ids(), animal_store.lock_feed()`,
        );
      }
    }
  }

  async #writePlain(
    ifKeysAt: Revision | undefined,
    creates: readonly Create[],
  ): Promise<readonly CreateOutcome[]> {
    const rows = await this.#run<{ id: bigint }>(PLAIN, ifKeysAt, (sql, recording) => {
      const { names, categoryIds, statuses } = columnsOf(sql, animalsOf(creates));
      return [names, categoryIds, statuses, ...(recording ? [this.#now] : [])];
    });
    return rows.length > 0 ? rows : creates.map(() => ({ keysChanged: true }));
  }

  async #writeRetryable(
    ifKeysAt: Revision | undefined,
    all: readonly Create[],
  ): Promise<readonly CreateOutcome[]> {
    const { firsts: creates, positions } = distinct(all);
    const rows = await this.#run<Written>(RETRYABLE, ifKeysAt, (sql) => {
      const { names, categoryIds, statuses } = columnsOf(sql, animalsOf(creates));
      const lines = column(sql, creates, ({ idempotency }) => idempotency?.line.toString() ?? null);
      const keys = column(sql, creates, ({ idempotency }) => idempotency?.key ?? null);
      const digests = column(sql, creates, ({ idempotency }) => idempotency?.digest ?? null);
      return [names, categoryIds, statuses, lines, keys, digests, this.#now - IDEMPOTENCY_TTL_MS, this.#now];
    });
    if (rows.length === 0) return all.map(() => ({ keysChanged: true }));
    return all.map((create, at) => {
      const position = positions[at] as number;
      const { id, digest, earlier } = rows[position] as Written;
      if (!create.idempotency) return { id };
      if (create.idempotency.digest !== digest) return { reused: true };
      return { id, replayed: earlier || create !== creates[position] };
    });
  }

  /**
   * Runs the statement that goes with what is known of the feed. The one that records no event writes nothing where
   * events are recorded; the other one fits both.
   *
   * @param parameters from the second on
   * @returns no rows where the keys have changed
   */
  async #run<Row>(
    { unrecorded, recorded }: Statements,
    ifKeysAt: Revision | undefined,
    parameters: (sql: SQL, recording: boolean) => unknown[],
  ): Promise<readonly Row[]> {
    const run = (text: string, recording: boolean) =>
      this.#transactions.commit<(Row & { recording: boolean })[]>((sql, epoch) =>
        sql.unsafe(text, [keysLimit(ifKeysAt, epoch), ...parameters(sql, recording)]),
      );
    if (!this.#feed.isRecording) {
      const rows = await run(unrecorded, false);
      if (rows.length > 0) return rows;
    }
    const rows = await run(recorded, true);
    if (rows[0]) this.#feed.isRecording = rows[0].recording;
    return rows;
  }
}

function animalsOf(creates: readonly Create[]): NewAnimal[] {
  return creates.map(({ animal }) => animal);
}
