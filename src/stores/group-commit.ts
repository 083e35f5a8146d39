import { StoreFailure } from "../domain/failure.ts";
import type { CommitObserver } from "../observations/commit-observer.ts";

/** The most writes that may be pending at once. That many creates with the longest names take some 20 MB. */
const QUEUE_MAX = 10_000;
/** The most writes in one transaction: enough to make the sync cheap, few enough for each to be acknowledged soon. */
export const BATCH_MAX = 1000;
/** The commit delay (PostgreSQL's term), as a fraction of the last transaction's duration: see `#awaitSiblings`. */
const COMMIT_DELAY = 0.3;
const COMMIT_DELAY_MAX_MS = 20;
/** Deadlines are checked this many times within the longest wait. */
const WAIT_STEPS = 14;

/** A batch whose transaction is on the disk. */
export interface WrittenBatch<Result> {
  /** The result of each write, in order, or the error that it rejects with. */
  readonly results: readonly (Result | Error)[];
  /**
   * Resolves when the writes may be acknowledged, and rejects if they must not be. Without it they may be acknowledged at
   * once. The next batch does not wait for it.
   */
  readonly confirmed?: Promise<unknown> | undefined;
}

/**
 * Carries out a batch in one transaction, in order. Resolves when the transaction is on the disk; rejects if nothing was
 * written, or if the outcome is unknown.
 */
type WriteBatch<Write, Result> = (writes: readonly Write[]) => Promise<WrittenBatch<Result>>;

interface Waiting<Write, Result> {
  readonly write: Write;
  /** Its arrival by the monotonic clock, in milliseconds. */
  readonly since: number;
  readonly mark: unknown;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit: writes that arrive while the engine is busy share the next transaction and its sync. A write resolves when
 * its transaction is on the disk and confirmed. One batch is written at a time, but any number may await confirmation.
 */
export class GroupCommit<Write, Result> {
  readonly #write: WriteBatch<Write, Result>;
  readonly #waitMaxMs: number;
  readonly #queueMax: number;
  readonly #observer: CommitObserver | undefined;
  #waiting: Waiting<Write, Result>[] = [];
  /** The batches that the engine has received and not yet answered. */
  readonly #unanswered = new Set<readonly Waiting<Write, Result>[]>();
  #writing = false;
  #sendingSoon = false;
  /** The duration of the last transaction, and the writes at its end: those in it, and those waiting for the next. */
  #lastTook = 0;
  #lastSiblings = 0;
  /** Ends the commit delay early; defined during the delay. */
  #siblingsAreBack: (() => void) | undefined;
  #whenIdle: (() => void) | undefined;
  #waitCheck: Timer | undefined;

  /**
   * @param waitMaxMs how long a write may wait, so that its client gets a response even if the engine hangs
   * @param observer observes each transaction
   * @param sharers the number of processes that write to the same disk: each gets its share of the queue
   */
  constructor(write: WriteBatch<Write, Result>, waitMaxMs: number, observer?: CommitObserver, sharers = 1) {
    this.#write = write;
    this.#waitMaxMs = waitMaxMs;
    this.#queueMax = Math.ceil(QUEUE_MAX / sharers);
    this.#observer = observer;
  }

  /** The number of writes that wait for an earlier transaction. */
  get queueLength(): number {
    return this.#waiting.length;
  }

  /** Resolves when the write is on the disk and confirmed. */
  add(write: Write): Promise<Result> {
    if (this.#pending >= this.#queueMax) {
      return Promise.reject(new StoreFailure("overloaded", `${this.#queueMax} writes wait for the disk`));
    }
    return new Promise((resolve, reject) => {
      const mark = this.#observer?.waits?.();
      this.#waiting.push({ write, since: performance.now(), mark, resolve, reject });
      this.#waitCheck ??= setInterval(() => this.#rejectOverdue(), this.#waitMaxMs / WAIT_STEPS);
      if (!this.#siblingsAreBack) this.#sendSoon();
      else if (this.#waiting.length >= this.#lastSiblings) this.#siblingsAreBack();
    });
  }

  /** Resolves when all pending writes have been answered. */
  async close(): Promise<void> {
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  /** The number of unanswered writes. */
  get #pending(): number {
    let pending = this.#waiting.length;
    for (const batch of this.#unanswered) pending += batch.length;
    return pending;
  }

  /** Sends once the event loop has read the requests that have already arrived, so that they share a batch. */
  #sendSoon(): void {
    if (this.#sendingSoon || this.#writing) return;
    this.#sendingSoon = true;
    setImmediate(() => {
      this.#sendingSoon = false;
      this.#send();
    });
  }

  async #send(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const delay = Math.min(this.#lastTook * COMMIT_DELAY, COMMIT_DELAY_MAX_MS);
      if (delay >= 1 && this.#waiting.length < this.#lastSiblings) await this.#awaitSiblings(delay);
      const batch = this.#waiting.splice(0, BATCH_MAX);
      if (batch.length === 0) break;
      const sent = performance.now();
      const writing = this.#write(batch.map(({ write }) => write));
      void this.#answer(batch, sent, writing);
      await writing.catch(() => {});
      this.#lastTook = performance.now() - sent;
      this.#lastSiblings = Math.min(batch.length + this.#waiting.length, BATCH_MAX);
    }
    this.#writing = false;
    this.#finishIfIdle();
  }

  /** Answers each write of a batch once the batch is written and confirmed. */
  async #answer(
    batch: readonly Waiting<Write, Result>[],
    sent: number,
    writing: Promise<WrittenBatch<Result>>,
  ): Promise<void> {
    this.#unanswered.add(batch);
    try {
      const { results, confirmed } = await writing;
      if (confirmed) await confirmed;
      this.#notify(batch, sent);
      settle(batch, results);
    } catch (reason) {
      this.#notify(batch, sent, reason);
      for (const { reject } of batch) reject(reason);
    }
    this.#unanswered.delete(batch);
    this.#finishIfIdle();
  }

  /** Once nothing is pending, stops checking deadlines and lets `close` end. */
  #finishIfIdle(): void {
    if (this.#writing || this.#pending > 0) return;
    clearInterval(this.#waitCheck);
    this.#waitCheck = undefined;
    this.#whenIdle?.();
  }

  /**
   * Waits for the commit siblings: clients that just got a response and will soon send their next write. If transactions
   * are slow, this short wait doubles the writes in the next transaction.
   */
  async #awaitSiblings(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#siblingsAreBack = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#siblingsAreBack = undefined;
  }

  #notify(batch: readonly Waiting<Write, Result>[], sent: number, error?: unknown): void {
    this.#observer?.committed({
      writes: batch.length,
      marks: batch.map(({ mark }) => mark),
      waitedMilliseconds: sent - (batch[0]?.since ?? sent),
      milliseconds: performance.now() - sent,
      error,
    });
  }

  /** Rejects writes that have waited too long. Those that the engine has not yet received are never stored. */
  #rejectOverdue(): void {
    const due = performance.now() - this.#waitMaxMs;
    const overdue = [...this.#unanswered].flatMap((batch) => batch.filter(({ since }) => since <= due));
    const first = this.#waiting.findIndex(({ since }) => since > due);
    overdue.push(...this.#waiting.splice(0, first < 0 ? this.#waiting.length : first));
    const failure = new StoreFailure("store_unavailable", `the store took longer than ${this.#waitMaxMs} ms`);
    for (const { reject } of overdue) reject(failure);
  }
}

function settle<Result>(
  batch: readonly Waiting<unknown, Result>[],
  results: readonly (Result | Error)[],
): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const result = results[index];
    if (result === undefined || result instanceof Error)
      reject(result ?? new Error("the store left out a write"));
    else resolve(result);
  }
}
