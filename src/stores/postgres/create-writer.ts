import type { SQL } from "bun";
import { IDEMPOTENCY_TTL_MS } from "../../domain/idempotency.ts";
import type { Revision } from "../../domain/revision.ts";
import { type Added, KeysChanged } from "../../domain/store.ts";
import { type Create, type CreateOutcome, resultsOf } from "../create.ts";
import type { WrittenBatch } from "../group-commit.ts";
import { NEW_ANIMAL } from "../tables.ts";
import { arraysOf, column } from "./columns.ts";
import type { Pool } from "./connect/pool.ts";
import { PLAIN, RETRYABLE, type Statements } from "./create-statements.ts";
import { distinct } from "./distinct.ts";
import { isNumberTaken } from "./errors.ts";
import { keysAt, Transactions, writeParts } from "./transactions.ts";

const ANIMALS_BY_HAND = {
  isTaken: isNumberTaken,
  raise: (sql: SQL) => sql`SELECT animal_store.lock_animal_ids(), animal_store.lock_feed()`,
};

/** What this instance last knew of the feed. Only the database has the current state. */
interface LastKnownFeed {
  isRecording: boolean;
}

interface Written {
  readonly id: bigint;
  /** The digest of the first create with the same `Idempotency-Key`, if there is a key. */
  readonly digest: string | null;
  /** Whether that create was in an earlier batch. */
  readonly earlier: boolean;
}

/**
 * Writes a batch of creates, usually in one transaction. Every statement first locks the row of `state`, takes its ids under
 * that lock, and holds it until the commit, so that ids become visible in their order. The row is never written: every
 * request reads it, and PostgreSQL would keep all its versions while somebody holds a snapshot.
 *
 * A statement's snapshot may be older than its wait for the lock. So the unique index, which always shows the latest state,
 * decides whether an `Idempotency-Key` was used (`ON CONFLICT`). Creates and orders claim their records in the order of the
 * keys, so that they never deadlock.
 *
 * @param now milliseconds since 1970
 * @param feed what was last known of the feed; updated with what the statements return
 */
export async function writeCreates(
  pool: Pool,
  creates: readonly Create[],
  now: number,
  feed: LastKnownFeed,
): Promise<WrittenBatch<Added>> {
  const transactions = new Transactions(pool, ANIMALS_BY_HAND);
  const writer = new CreateWriter(transactions, now, feed);
  const outcomes = await writeParts(creates, "an animal", (some, ifKeysAt) =>
    some.some(({ idempotency }) => idempotency)
      ? writer.writeRetryable(ifKeysAt, some)
      : writer.writePlain(ifKeysAt, some),
  );
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

  async writePlain(
    ifKeysAt: Revision | undefined,
    creates: readonly Create[],
  ): Promise<readonly (CreateOutcome | Error)[]> {
    const rows = await this.#run<{ id: bigint }>(PLAIN, ifKeysAt, (sql, recording) => {
      return [...animalsOf(sql, creates), ...(recording ? [this.#now] : [])];
    });
    return rows.length > 0 ? rows : creates.map(() => new KeysChanged());
  }

  async writeRetryable(
    ifKeysAt: Revision | undefined,
    all: readonly Create[],
  ): Promise<readonly (CreateOutcome | Error)[]> {
    const { firsts: creates, positions } = distinct(all);
    const rows = await this.#run<Written>(RETRYABLE, ifKeysAt, (sql) => {
      const lines = column(sql, creates, ({ idempotency }) => idempotency?.line.toString() ?? null);
      const keys = column(sql, creates, ({ idempotency }) => idempotency?.key ?? null);
      const digests = column(sql, creates, ({ idempotency }) => idempotency?.digest ?? null);
      return [...animalsOf(sql, creates), lines, keys, digests, this.#now - IDEMPOTENCY_TTL_MS, this.#now];
    });
    if (rows.length === 0) return all.map(() => new KeysChanged());
    return all.map((create, at) => {
      const position = positions[at] as number;
      const { id, digest, earlier } = rows[position] as Written;
      if (!create.idempotency) return { id };
      if (create.idempotency.digest !== digest) return { reused: true };
      return { id, replayed: earlier || create !== creates[position] };
    });
  }

  /**
   * Runs the cheaper statement, which records no events, if the store was last known to record none. That statement writes
   * nothing if events are recorded after all; the other one serves both cases.
   *
   * @param parameters the parameters after the first
   * @returns no rows if the API keys have changed
   */
  async #run<Row>(
    { unrecorded, recorded }: Statements,
    ifKeysAt: Revision | undefined,
    parameters: (sql: SQL, recording: boolean) => unknown[],
  ): Promise<readonly Row[]> {
    const run = (text: string, recording: boolean) =>
      this.#transactions.commit<(Row & { recording: boolean })[]>((sql) =>
        sql.unsafe(text, [keysAt(ifKeysAt), ...parameters(sql, recording)]),
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

/** What the parameters from `$2` on say of new animals. */
function animalsOf(sql: SQL, creates: readonly Create[]) {
  const animals = creates.map(({ animal }) => animal);
  return arraysOf(sql, NEW_ANIMAL, animals);
}
