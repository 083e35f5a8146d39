import type { Pool } from "../connect/pool.ts";
import { type Mark, type MarkedRevision, type Marks, readTokensAt } from "./marks.ts";

/** How many numbers of each log are remembered. A standby that is further behind is asked about at the primary. */
const REMEMBERED = 1000;

/** What the primary says of marks: it shows them, it does not show them (yet), or its history has others in their place. */
type Verdict = "confirmed" | "missing" | "other_history";

/**
 * The marks that the primary has shown. A change is replayed by a standby before the primary shows it, for example while its
 * commit waits for a synchronous standby. So a standby's marks count once the primary has shown the same.
 */
export class ConfirmedMarks {
  readonly #pool: Pool;
  /** The tokens of `appends` and `rewrites`, by their numbers, in the order in which the primary showed them. */
  readonly #appends = new Map<number, number | undefined>();
  readonly #rewrites = new Map<number, number | undefined>();
  /** Of the server that has shown them: another one may have another history. */
  #epoch = 0;
  #latest: Marks | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The marks that the primary has shown last. */
  get latest(): Marks | undefined {
    return this.#latest;
  }

  /** Remembers marks that the primary has shown. */
  note({ epoch, marks }: Pick<MarkedRevision, "epoch" | "marks">): void {
    if (epoch < this.#epoch) return;
    if (epoch > this.#epoch) {
      this.#appends.clear();
      this.#rewrites.clear();
      this.#epoch = epoch;
    }
    this.#latest = marks;
    remember(this.#appends, marks.appends);
    remember(this.#rewrites, marks.rewrites);
  }

  /**
   * Asks the primary about marks, unless it has shown them before.
   *
   * @param epoch of the server that must have shown them
   * @throws StoreFailure if it cannot be asked
   */
  async judge(epoch: number, marks: Marks): Promise<Verdict> {
    const known = this.#recall(epoch, marks);
    if (known !== "missing") return known;
    return this.#pool.read(async (sql, servedBy) => {
      const { append, rewrite } = await readTokensAt(sql, marks);
      if (servedBy !== epoch) return "other_history";
      const appends = { number: marks.appends.number, token: append };
      const rewrites = { number: marks.rewrites.number, token: rewrite };
      if (this.#epoch === epoch) {
        if (append !== undefined) remember(this.#appends, appends);
        if (rewrite !== undefined) remember(this.#rewrites, rewrites);
      }
      return worst(compare(marks.appends, append), compare(marks.rewrites, rewrite));
    });
  }

  #recall(epoch: number, { appends, rewrites }: Marks): Verdict {
    if (epoch !== this.#epoch) return "missing";
    return worst(
      compare(appends, this.#appends.get(appends.number)),
      compare(rewrites, this.#rewrites.get(rewrites.number)),
    );
  }
}

function remember(shown: Map<number, number | undefined>, { number, token }: Mark): void {
  if (shown.has(number)) return;
  shown.set(number, token);
  if (shown.size > REMEMBERED) shown.delete(shown.keys().next().value as number);
}

/** @param token what the primary has at the number of a mark; `undefined` if it shows no such row */
function compare(mark: Mark, token: number | undefined): Verdict {
  // Every history begins with an empty log.
  if (mark.number === 0 || mark.token === token) return "confirmed";
  return token === undefined ? "missing" : "other_history";
}

function worst(one: Verdict, other: Verdict): Verdict {
  if (one === "other_history" || other === "other_history") return "other_history";
  return one === "missing" || other === "missing" ? "missing" : "confirmed";
}
