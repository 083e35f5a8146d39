import type { MaybePromise } from "../../../domain/maybe-promise.ts";
import type { Pool } from "../connect/pool.ts";
import { type Mark, type MarkedRevision, type Marks, readMarkedRevision, readTokensAt } from "./marks.ts";
import { type NumberedNotes, note } from "./numbered-notes.ts";
import { type Numbers, ShownTogether } from "./shown-together.ts";

/**
 * What the primary says of marks: it shows them; it has come past them, and may have pruned them; it does not show them
 * (yet); or its history has others in their place.
 */
type Verdict = "confirmed" | "behind" | "ahead" | "other_history";
const VERDICTS: readonly Verdict[] = ["confirmed", "behind", "ahead", "other_history"];

/**
 * The marks that the primary has shown. A change is replayed by a standby before the primary shows it, for example while its
 * commit waits for a synchronous standby. So a standby's marks count once the primary has shown the same.
 */
export class ConfirmedMarks {
  readonly #pool: Pool;
  /** The tokens of `appends` and `rewrites`, by their numbers, in the order in which the primary showed them. */
  readonly #appends: NumberedNotes<number | undefined> = new Map();
  readonly #rewrites: NumberedNotes<number | undefined> = new Map();
  readonly #together = new ShownTogether();
  /** Of the server that has shown them: another one may have another history. */
  #epoch = 0;
  #latest: Marks | undefined;
  /** When the primary has shown others last, in milliseconds of the monotonic clock. */
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The marks that the primary has shown last. */
  get latest(): Marks | undefined {
    return this.#latest;
  }

  /** When the marks that the primary shows have changed last, in milliseconds of the monotonic clock. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** Remembers marks that the primary has shown. */
  note({ epoch, marks }: Pick<MarkedRevision, "epoch" | "marks">): void {
    if (epoch < this.#epoch || (epoch === this.#epoch && marks === this.#latest)) return;
    this.#changedAt = performance.now();
    if (epoch > this.#epoch || marks.store !== this.#latest?.store) {
      this.#appends.clear();
      this.#rewrites.clear();
      this.#together.clear();
      this.#epoch = epoch;
    }
    this.#latest = marks;
    remember(this.#appends, marks.appends);
    remember(this.#rewrites, marks.rewrites);
    this.#together.note(marks);
  }

  /**
   * Asks the primary about marks, unless it has shown them before.
   *
   * @param epoch of the server that must have shown them
   * @throws StoreFailure if it cannot be asked
   */
  async judge(epoch: number, marks: Marks): Promise<Verdict> {
    const known = this.#recall(epoch, marks);
    if (known === "confirmed" || known === "other_history") return known;
    return this.#pool.read(async (sql, servedBy) => {
      const { store, append, rewrite } = await readTokensAt(sql, marks);
      if (servedBy !== epoch || store !== marks.store) return "other_history";
      const appends = { number: marks.appends.number, token: append };
      const rewrites = { number: marks.rewrites.number, token: rewrite };
      const latest = this.#latest;
      // What no revision has shown yet may be lost again before the next one, which would not tell.
      if (latest && this.#isOf(epoch, marks)) {
        if (append !== undefined && appends.number <= latest.appends.number) remember(this.#appends, appends);
        if (rewrite !== undefined && rewrites.number <= latest.rewrites.number)
          remember(this.#rewrites, rewrites);
      }
      return this.#compare(marks, append, rewrite);
    });
  }

  /**
   * Whether the primary has shown in the same order what a standby may have shown on its way between two moments, asking it for its
   * numbers unless it has shown enough before.
   *
   * @param epoch of the server that must have shown it
   * @throws StoreFailure if it cannot be asked
   */
  haveOrderOf(epoch: number, from: Numbers, to: Numbers): MaybePromise<boolean> {
    if (epoch !== this.#epoch) return false;
    if (this.#together.has(from, to, undefined)) return true;
    const haveBothGoneOn = from.appends !== to.appends && from.rewrites !== to.rewrites;
    return haveBothGoneOn ? false : this.#askForOrderOf(epoch, from, to);
  }

  #askForOrderOf(epoch: number, from: Numbers, to: Numbers): Promise<boolean> {
    return this.#pool.read(async (sql, servedBy) => {
      const { marks } = await readMarkedRevision(sql, servedBy, undefined);
      const now = { appends: marks.appends.number, rewrites: marks.rewrites.number };
      return servedBy === epoch && this.#isOf(epoch, marks) && this.#together.has(from, to, now);
    });
  }

  #recall(epoch: number, marks: Marks): Verdict {
    if (!this.#isOf(epoch, marks)) return "ahead";
    const { appends, rewrites } = marks;
    return this.#compare(marks, this.#appends.get(appends.number), this.#rewrites.get(rewrites.number));
  }

  /** Whether what is remembered is of that server, and of the store of these marks. */
  #isOf(epoch: number, { store }: Marks): boolean {
    return epoch === this.#epoch && store === this.#latest?.store;
  }

  #compare({ appends, rewrites }: Marks, append: number | undefined, rewrite: number | undefined): Verdict {
    return worst(
      compare(appends, append, this.#latest?.appends.number),
      compare(rewrites, rewrite, this.#latest?.rewrites.number),
    );
  }
}

function remember(shown: NumberedNotes<number | undefined>, { number, token }: Mark): void {
  if (!shown.has(number)) note(shown, number, token);
}

/**
 * Compares the mark of a log with the same store's at the primary.
 *
 * @param token what the primary has at the number of the mark; `undefined` if it shows no such row
 * @param latest the number that the primary has shown last
 */
function compare(mark: Mark, token: number | undefined, latest = 0): Verdict {
  // A store begins with empty logs.
  if (mark.number === 0 || mark.token === token) return "confirmed";
  if (token !== undefined) return "other_history";
  // Numbers become visible in their order, so the primary will not show this one later.
  return mark.number < latest ? "behind" : "ahead";
}

function worst(one: Verdict, other: Verdict): Verdict {
  return VERDICTS.indexOf(one) > VERDICTS.indexOf(other) ? one : other;
}
