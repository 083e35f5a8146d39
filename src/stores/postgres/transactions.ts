import { isValidAt, type Revision } from "../../domain/revision.ts";
import { KeysChanged } from "../../domain/store.ts";
import type { Work } from "./connect/connection.ts";
import type { Pool } from "./connect/pool.ts";
import { isDeadlock, isRefusal } from "./errors.ts";

/** The number of attempts if transactions by hand get in the way of a write. */
const ATTEMPTS_MAX = 3;

/** What to do about ids that were taken by hand. */
interface Remedy {
  /** Whether a write was rolled back because of such an id. */
  isTaken(error: unknown): boolean;
  /** Raises the sequences beyond all ids that are there. */
  readonly raise: Work<unknown>;
}

/** The transactions of one batch. All its writes wait until each transaction is confirmed. */
export class Transactions {
  readonly #pool: Pool;
  readonly #remedy: Remedy;
  readonly #confirmed: Promise<void>[] = [];
  readonly #due: number;

  constructor(pool: Pool, remedy: Remedy) {
    this.#pool = pool;
    this.#remedy = remedy;
    this.#due = performance.now() + pool.deadlineMs;
  }

  /**
   * Commits a statement. Repeats it in place, while its clients still wait, if PostgreSQL has rolled it back because of a
   * transaction by hand: a deadlock, or an id that was taken. A write whose outcome is unknown is never repeated.
   *
   * @throws StoreFailure if it was not answered in time; whether the change was made is then unknown
   */
  async commit<Result>(statement: Work<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#commitOnce(statement);
      } catch (error) {
        const mayRepeat = isDeadlock(error) || this.#remedy.isTaken(error);
        if (attempt === ATTEMPTS_MAX || !mayRepeat) throw error;
        await this.#commitOnce(this.#remedy.raise);
        if (performance.now() > this.#due) throw error;
      }
    }
  }

  /** Resolves when all commits may be acknowledged; rejects if one of them must not be. */
  confirmed(): Promise<unknown> {
    return Promise.all(this.#confirmed);
  }

  async #commitOnce<Result>(statement: Work<Result>): Promise<Result> {
    const { result, confirmed } = await this.#pool.commit(statement);
    this.#confirmed.push(confirmed);
    return result;
  }
}

/** A write that may depend on the API keys. */
export interface KeyedWrite {
  /** If given, the write fails if the API keys have changed since this revision. */
  readonly ifKeysAt: Revision | undefined;
}

/**
 * Carries out writes in one statement.
 *
 * @param ifKeysAt if given, nothing is written if the API keys have changed since this revision
 * @returns an outcome for each, in order
 */
type Write<Wanted, Outcome> = (
  writes: readonly Wanted[],
  ifKeysAt: Revision | undefined,
) => Promise<readonly (Outcome | Error)[]>;

/**
 * Carries out a batch in as few statements as possible, nearly always in one. Returns for each write its outcome, or the
 * error that it rejects with: `KeysChanged` if it was admitted under an outdated revision of the keys.
 *
 * @param what each of them stores, for the message where PostgreSQL refuses one
 */
export async function writeParts<Wanted extends KeyedWrite, Outcome>(
  writes: readonly Wanted[],
  what: string,
  write: Write<Wanted, Outcome>,
): Promise<(Outcome | Error)[]> {
  // Nearly always all writes have the same revision of the keys. Of several, only the latest can still be current.
  const latest = latestOf(writes);
  const outcomes: (Outcome | Error | undefined)[] = writes.map(() => undefined);
  for (const ifKeysAt of latest ? [undefined, latest] : [undefined]) {
    const positions = [...writes.keys()].filter((at) => isSame(writes[at]?.ifKeysAt, ifKeysAt));
    const part = positions.map((at) => writes[at] as Wanted);
    const each = await writeHalves(part, ifKeysAt, what, write);
    for (const [n, at] of positions.entries()) outcomes[at] = each[n];
  }
  return outcomes.map((outcome) => outcome ?? new KeysChanged());
}

/** If a row is refused, tries each half by itself, so that one bad row among many costs only few more statements. */
async function writeHalves<Wanted, Outcome>(
  writes: readonly Wanted[],
  ifKeysAt: Revision | undefined,
  what: string,
  write: Write<Wanted, Outcome>,
): Promise<readonly (Outcome | Error)[]> {
  if (writes.length === 0) return [];
  try {
    return await write(writes, ifKeysAt);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (writes.length === 1) return [new Error(`the store refused ${what}: ${error}`)];
    const half = Math.ceil(writes.length / 2);
    const first = await writeHalves(writes.slice(0, half), ifKeysAt, what, write);
    return [...first, ...(await writeHalves(writes.slice(half), ifKeysAt, what, write))];
  }
}

/**
 * The revision of the keys at which to write; `null` for any. It grows by random steps, so that two servers have the same only
 * where they have the same keys.
 */
export function keysAt(ifKeysAt: Revision | undefined): bigint | null {
  return ifKeysAt ? BigInt(ifKeysAt.keys) : null;
}

function latestOf(writes: readonly KeyedWrite[]): Revision | undefined {
  let latest: Revision | undefined;
  for (const { ifKeysAt } of writes) {
    if (ifKeysAt && (!latest || isValidAt(ifKeysAt, latest, "keys"))) latest = ifKeysAt;
  }
  return latest;
}

function isSame(one: Revision | undefined, other: Revision | undefined): boolean {
  return one?.keys === other?.keys && one?.epoch === other?.epoch;
}
