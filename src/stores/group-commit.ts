import { StoreFailure } from "../domain/failure.ts";
import type { CommitObserver } from "../domain/observation.ts";

/** Writes that may wait for the disk at once, including those on their way to it. Creates with the longest names take some 20 MB. */
const QUEUE_MAX = 10_000;
/** Writes in one transaction: enough to make the sync cheap, few enough that each is answered soon. */
export const BATCH_MAX = 1000;
/** The commit delay (PostgreSQL's term), as a part of what the last transaction took: see `#awaitSiblings`. */
const COMMIT_DELAY = 0.3;
const COMMIT_DELAY_MAX_MS = 20;
/** In how many steps of its bound a wait is looked at. */
const WAIT_STEPS = 14;

/** A batch whose transaction is on the disk. */
export interface WrittenBatch<Result> {
  /** What each write resolves to, in order, or the error that it rejects with. */
  readonly results: readonly (Result | Error)[];
  /**
   * Resolves when the writes may be acknowledged, rejects when they may not; `undefined`: at once. The next batch does
   * not wait for it.
   */
  readonly confirmed?: Promise<unknown> | undefined;
}

/**
 * Does all writes of a batch, in order, in one transaction. Resolves when the transaction is on the disk; rejects when
 * nothing was written, or when that is not known.
 */
export type WriteBatch<Write, Result> = (writes: readonly Write[]) => Promise<WrittenBatch<Result>>;

interface Waiting<Write, Result> {
  readonly write: Write;
  /** When it came, by the monotonic clock, in milliseconds. */
  readonly since: number;
  readonly mark: unknown;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit: the writes that arrive while the engine is busy with others share one transaction and one sync. A write
 * is answered when its transaction is on the disk and confirmed. One batch is written at a time; any number may wait to
 * be confirmed.
 */
export class GroupCommit<Write, Result> {
  readonly #write: WriteBatch<Write, Result>;
  readonly #waitMaxMs: number;
  readonly #queueMax: number;
  readonly #observer: CommitObserver | undefined;
  #waiting: Waiting<Write, Result>[] = [];
  /** The batches that the engine was given and that are not answered. */
  readonly #unanswered = new Set<readonly Waiting<Write, Result>[]>();
  #writing = false;
  #sendingSoon = false;
  /** How long the last transaction took, and how many writes there were at its end: in it and waiting for the next. */
  #lastTook = 0;
  #lastSiblings = 0;
  /** Ends the commit delay early. */
  #siblingsAreBack: (() => void) | undefined;
  #whenIdle: (() => void) | undefined;
  #waitCheck: Timer | undefined;

  /**
   * @param waitMaxMs how long a write may wait: an engine that hangs must not leave its client without an answer
   * @param observer told of each transaction
   * @param sharers how many processes wait for this same disk: each may have its part of what may wait at once
   */
  constructor(write: WriteBatch<Write, Result>, waitMaxMs: number, observer?: CommitObserver, sharers = 1) {
    this.#write = write;
    this.#waitMaxMs = waitMaxMs;
    this.#queueMax = Math.ceil(QUEUE_MAX / sharers);
    this.#observer = observer;
  }

  /** How many writes wait for the transaction before theirs. */
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

  /** Resolves when everything that waits has been answered. */
  async close(): Promise<void> {
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  /** How many writes are not answered. */
  get #pending(): number {
    let pending = this.#waiting.length;
    for (const batch of this.#unanswered) pending += batch.length;
    return pending;
  }

  /** Sends when the requests that have already arrived have been read, so that they go together. */
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
    this.#rest();
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
    this.#rest();
  }

  /** Stops looking at deadlines once nothing is pending. */
  #rest(): void {
    if (this.#writing || this.#pending > 0) return;
    clearInterval(this.#waitCheck);
    this.#waitCheck = undefined;
    this.#whenIdle?.();
  }

  /**
   * Clients that were answered a moment ago are about to come back. Where transactions are slow, to wait a little
   * for them brings twice as many into the next one as to leave them for the one after it.
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

  /** Answers those that have waited too long; those that the engine has not been given are not stored. */
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
