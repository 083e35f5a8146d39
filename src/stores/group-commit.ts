import type { Animal, NewAnimal } from "../domain/animal.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { Idempotency } from "../domain/idempotency.ts";
import type { CommitObserver } from "../domain/observation.ts";
import type { Revision } from "../domain/revision.ts";
import { type Added, KeysChanged } from "../domain/store.ts";

/** Creates that may wait for the disk at once, those on their way to it included. With names at their longest they take some 20 MB. */
const QUEUE_MAX = 10_000;
/** Creates in one transaction: enough to make the sync cheap, few enough to keep each answer soon. */
export const BATCH_MAX = 1000;
/** The commit delay (PostgreSQL's term), as a part of what the last transaction took: see `#awaitSiblings`. */
const COMMIT_DELAY = 0.3;
const COMMIT_DELAY_MAX_MS = 20;
/** In how many steps of its bound a wait is looked at. */
const WAIT_STEPS = 14;

/** An animal to add, and what makes that safe to repeat, if anything. */
export interface Create {
  readonly animal: NewAnimal;
  readonly idempotency: Idempotency | undefined;
  /** The revision that the keys must not have passed, if that matters. */
  readonly keysAsOf: Revision | undefined;
}

/**
 * The outcome of one create: its id (`replayed` where an earlier create with its key added the animal), that its key
 * was used for another, that it came too late for the keys, or why the engine refused it.
 */
export type Outcome =
  | { readonly id: bigint; readonly replayed?: boolean | undefined }
  | { readonly reused: true }
  | { readonly keysChanged: true }
  | { readonly refused: string };

/** What became of a batch: all were stored with consecutive ids from one on, or each has its own outcome. */
type BatchOutcome = { readonly first: bigint } | { readonly each: readonly Outcome[] };

/** A batch whose transaction is on the disk. */
export interface WrittenBatch {
  readonly outcome: BatchOutcome;
  /**
   * Resolves when the creates may be acknowledged, rejects when they may not; `undefined`: at once. The next batch does
   * not wait for it.
   */
  readonly confirmed?: Promise<unknown> | undefined;
}

/**
 * Stores creates, in order, in one transaction. Resolves when the transaction is on the disk; rejects when nothing
 * was stored, or when that is not known.
 */
export type WriteBatch = (creates: readonly Create[]) => Promise<WrittenBatch>;

interface Waiting extends Create {
  /** When it came, by the monotonic clock, in milliseconds. */
  readonly since: number;
  readonly mark: unknown;
  readonly resolve: (added: Added) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit: the creates that arrive while the engine is busy with others share one transaction and one sync. A
 * create is answered when its transaction is on the disk and confirmed. One batch is written at a time; any number may
 * wait to be confirmed.
 */
export class GroupCommit {
  readonly #write: WriteBatch;
  readonly #waitMaxMs: number;
  readonly #queueMax: number;
  readonly #observer: CommitObserver | undefined;
  #waiting: Waiting[] = [];
  /** The batches that the engine was given and that are not answered. */
  readonly #unanswered = new Set<readonly Waiting[]>();
  #writing = false;
  #sendingSoon = false;
  /** How long the last transaction took, and how many creates there were at its end: in it and waiting for the next. */
  #lastTook = 0;
  #lastSiblings = 0;
  /** Ends the commit delay early. */
  #siblingsAreBack: (() => void) | undefined;
  #whenIdle: (() => void) | undefined;
  #waitCheck: Timer | undefined;

  /**
   * @param waitMaxMs how long a create may wait: an engine that hangs must not leave its client without an answer
   * @param observer who is told of each transaction, if anyone
   * @param sharers how many processes wait for this same disk: each may have its part of what may wait at once
   */
  constructor(write: WriteBatch, waitMaxMs: number, observer?: CommitObserver, sharers = 1) {
    this.#write = write;
    this.#waitMaxMs = waitMaxMs;
    this.#queueMax = Math.ceil(QUEUE_MAX / sharers);
    this.#observer = observer;
    observer?.queue?.(() => this.#waiting.length);
  }

  add(animal: NewAnimal, idempotency?: Idempotency, keysAsOf?: Revision): Promise<Added> {
    if (this.#pending >= this.#queueMax) {
      return Promise.reject(new StoreFailure("overloaded", `${this.#queueMax} creates wait for the disk`));
    }
    return new Promise((resolve, reject) => {
      const mark = this.#observer?.waits?.();
      this.#waiting.push({ animal, idempotency, keysAsOf, since: performance.now(), mark, resolve, reject });
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

  /** How many creates are not answered. */
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
      const patience = Math.min(this.#lastTook * COMMIT_DELAY, COMMIT_DELAY_MAX_MS);
      if (patience >= 1 && this.#waiting.length < this.#lastSiblings) await this.#awaitSiblings(patience);
      const batch = this.#waiting.splice(0, BATCH_MAX);
      if (batch.length === 0) break;
      const sent = performance.now();
      const writing = this.#write(batch);
      void this.#answer(batch, sent, writing);
      await writing.catch(() => {});
      this.#lastTook = performance.now() - sent;
      this.#lastSiblings = Math.min(batch.length + this.#waiting.length, BATCH_MAX);
    }
    this.#writing = false;
    this.#rest();
  }

  /** Answers each create of a batch once the batch is written and confirmed. */
  async #answer(batch: readonly Waiting[], sent: number, writing: Promise<WrittenBatch>): Promise<void> {
    this.#unanswered.add(batch);
    try {
      const { outcome, confirmed } = await writing;
      if (confirmed) await confirmed;
      this.#tell(batch, sent);
      settle(batch, outcome);
    } catch (reason) {
      this.#tell(batch, sent, reason);
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

  #tell(batch: readonly Waiting[], sent: number, error?: unknown): void {
    this.#observer?.committed({
      creates: batch.length,
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

function settle(batch: readonly Waiting[], outcome: BatchOutcome): void {
  if ("first" in outcome) {
    let id = outcome.first;
    for (const { animal, resolve } of batch) resolve(animalOf(id++, animal));
  } else {
    for (const [index, waiting] of batch.entries()) settleOne(waiting, outcome.each[index]);
  }
}

function settleOne({ animal, resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (outcome && "id" in outcome) {
    const added = animalOf(outcome.id, animal);
    resolve(outcome.replayed ? { replayed: added } : added);
  } else if (outcome && "reused" in outcome) resolve("key_reused");
  else if (outcome && "keysChanged" in outcome) reject(new KeysChanged());
  else reject(new Error(`the store refused an animal: ${outcome?.refused}`));
}

function animalOf(id: bigint, { name, categoryId, status }: NewAnimal): Animal {
  return { id, name, categoryId, status };
}
