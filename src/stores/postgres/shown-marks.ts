import type { SQL } from "bun";
import type { ObservationSink } from "../../observations/observation.ts";
import { KEPT } from "./change-logs.ts";
import type { Work } from "./connect/connection.ts";
import type { Pool } from "./connect/pool.ts";
import {
  isEarlier,
  type Mark,
  type MarkedRevision,
  RESTORE_MIN_MS,
  readMarkedRevision,
  readTokensAt,
} from "./standbys/marks.ts";

/**
 * The marks that the server in use has shown. Their numbers only grow, and no other history has their tokens. A server that shows
 * less than before, or other tokens, has gone on from an earlier state: its machine from a snapshot of its memory, which tells of
 * no new start, or its store from a dump that was restored under it. What was known of it counts no more.
 */
export class ShownMarks {
  readonly #pool: Pool;
  readonly #emit: ObservationSink;
  #latest: MarkedRevision | undefined;
  readonly #onShown: (revision: MarkedRevision) => void;
  /** When it was asked what proved last that its history is the one known. */
  #provedAt = 0;

  /**
   * @param emit receives an event when the database holds another store
   * @param onShown receives each revision
   */
  constructor(pool: Pool, emit: ObservationSink, onShown: (revision: MarkedRevision) => void) {
    this.#pool = pool;
    this.#emit = emit;
    this.#onShown = onShown;
  }

  /** Reads the revision, in another epoch if the server has gone on from an earlier state. */
  readonly readRevision: Work<MarkedRevision> = async (sql, epoch) => {
    // Of what is read at the same time on several connections, either may come first.
    const before = this.#latest;
    const askedAt = performance.now();
    const shown = await readMarkedRevision(sql, epoch, before);
    const isUnchanged = shown === before;
    if (isUnchanged) this.#prove(askedAt);
    const revision = isUnchanged ? shown : await this.#compare(sql, before, shown, askedAt);
    this.#onShown(revision);
    return revision;
  };

  /** Puts what has been shown into another epoch if it contradicts what was shown before. */
  async #compare(
    sql: SQL,
    before: MarkedRevision | undefined,
    shown: MarkedRevision,
    askedAt: number,
  ): Promise<MarkedRevision> {
    const { epoch } = shown;
    const revision =
      before?.epoch !== epoch || (await this.#isSameHistory(sql, before, shown, askedAt))
        ? shown
        : { ...shown, epoch: this.#pool.leaveEarlierState(epoch) };
    this.#note(revision);
    return revision;
  }

  #note(revision: MarkedRevision): void {
    const latest = this.#latest;
    const isOlder =
      latest &&
      (revision.epoch < latest.epoch || (revision.epoch === latest.epoch && hasGoneBack(latest, revision)));
    if (isOlder) return;
    this.#latest = revision;
    if (latest && latest.marks.store !== revision.marks.store) {
      this.#emit({ event: "database_store_replaced", database: this.#pool.target.database });
    }
  }

  async #isSameHistory(
    sql: SQL,
    before: MarkedRevision,
    shown: MarkedRevision,
    askedAt: number,
  ): Promise<boolean> {
    if (hasGoneBack(before, shown)) return false;
    const isProved = shown.append === before.append;
    if (!isProved && performance.now() - this.#provedAt < RESTORE_MIN_MS) return true;
    if (!isProved && !(await hasKept(sql, before, shown))) return false;
    this.#prove(askedAt);
    return true;
  }

  #prove(askedAt: number): void {
    this.#provedAt = Math.max(this.#provedAt, askedAt);
  }
}

function hasGoneBack(before: MarkedRevision, after: MarkedRevision): boolean {
  return (
    before.marks.store !== after.marks.store ||
    isEarlier(before.marks.appends, after.marks.appends) ||
    isEarlier(before.marks.rewrites, after.marks.rewrites) ||
    after.keys < before.keys
  );
}

/** Whether a server that shows more still has what it showed before, unless that was pruned. */
async function hasKept(sql: SQL, before: MarkedRevision, shown: MarkedRevision): Promise<boolean> {
  const { append, rewrite } = await readTokensAt(sql, before.marks);
  return (
    isKept(before.marks.appends, append, shown.marks.appends) &&
    isKept(before.marks.rewrites, rewrite, shown.marks.rewrites)
  );
}

function isKept(mark: Mark, token: number | undefined, latest: Mark): boolean {
  const mayBePruned = token === undefined && latest.number - mark.number >= KEPT;
  return mark.token === token || mayBePruned;
}
