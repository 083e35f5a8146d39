import { Worker } from "node:worker_threads";
import type { Animal, NewAnimal } from "../../domain/animal.ts";
import { StoreFailure } from "../../domain/failure.ts";
import type { Retry } from "../../domain/retry.ts";
import type { Added } from "../../domain/store.ts";
import type { RowOutcome, WriterReply, WriterRequest } from "./writer.ts";

/** Creates that may wait for the disk at once. With names at their longest they take some 20 MB. */
const QUEUE_MAX = 10_000;
/** Creates in one transaction: enough to make the sync cheap, few enough to keep each answer soon. */
const BATCH_MAX = 1000;
/** How long a create may wait: a disk that hangs must not leave its client without an answer. */
const WAIT_MAX_MS = 7000;
const WAIT_CHECK_MS = 500;

interface Waiting {
  readonly animal: NewAnimal;
  readonly retry: Retry | undefined;
  /** When it came, by the monotonic clock, in milliseconds. */
  readonly since: number;
  readonly resolve: (added: Added) => void;
  readonly reject: (reason: unknown) => void;
}

/** Settles the work that the writer has been given. */
type Settle = (reply: WriterReply) => void;

/**
 * Group commit: the creates that arrive while the disk is busy with others share one transaction and
 * one sync, on a thread of their own, so that nothing else waits for the disk. A create is answered
 * when its transaction is on the disk.
 */
export class GroupCommit {
  readonly #file: string;
  readonly #clock: () => number;
  #worker: Worker | undefined;
  #waiting: Waiting[] = [];
  /** The sweep that goes next, before any create. */
  #sweep: { readonly before: number; readonly resolve: Settle } | undefined;
  /** What the writer is doing. */
  #busy: { readonly batch: readonly Waiting[]; readonly settle: Settle } | undefined;
  #sendingSoon = false;
  #whenIdle: (() => void) | undefined;
  #waitCheck: Timer | undefined;

  /**
   * @param file the database, migrated
   * @param clock milliseconds since 1970
   */
  constructor(file: string, clock: () => number) {
    this.#file = file;
    this.#clock = clock;
  }

  /** Starts the thread, if it does not run: a first create need not wait for it then. */
  start(): void {
    this.#worker ??= this.#startWorker();
  }

  add(animal: NewAnimal, retry?: Retry): Promise<Added> {
    if (this.#waiting.length >= QUEUE_MAX) {
      return Promise.reject(new StoreFailure("overloaded", `${QUEUE_MAX} creates wait for the disk`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ animal, retry, since: performance.now(), resolve, reject });
      this.#waitCheck ??= setInterval(() => this.#rejectOverdue(), WAIT_CHECK_MS);
      this.#sendSoon();
    });
  }

  /** Forgets some retries that began at `before` (milliseconds since 1970) or earlier; tells how many. */
  sweep(before: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const settle = (reply: WriterReply) =>
        "swept" in reply ? resolve(reply.swept) : reject(reasonOf(reply));
      this.#sweep = { before, resolve: settle };
      this.#sendSoon();
    });
  }

  /** Resolves when everything that waits has been answered and the thread is gone. */
  async close(): Promise<void> {
    if (this.#waiting.length > 0 || this.#busy || this.#sweep) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    clearInterval(this.#waitCheck);
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Sends when the requests that have already arrived have been read, so that they go together. */
  #sendSoon(): void {
    if (this.#sendingSoon || this.#busy) return;
    this.#sendingSoon = true;
    setImmediate(() => {
      this.#sendingSoon = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#busy) return;
    if (this.#sweep) {
      const { before, resolve } = this.#sweep;
      this.#sweep = undefined;
      this.#post({ kind: "sweep", before }, [], resolve);
    } else if (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX);
      this.#post(requestOf(batch, this.#clock()), batch, (reply) => settleBatch(batch, reply));
    } else {
      clearInterval(this.#waitCheck);
      this.#waitCheck = undefined;
      this.#whenIdle?.();
    }
  }

  #post(request: WriterRequest, batch: readonly Waiting[], settle: Settle): void {
    this.start();
    this.#busy = { batch, settle };
    this.#worker?.postMessage(request);
  }

  #settle(reply: WriterReply): void {
    const settle = this.#busy?.settle;
    this.#busy = undefined;
    settle?.(reply);
    this.#send();
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL("./writer.ts", import.meta.url), { workerData: this.#file });
    worker.on("message", (reply: WriterReply) => this.#settle(reply));
    worker.on("error", (error) => {
      this.#worker = undefined;
      // Whether the batch was committed is not known: its clients are told to ask again.
      this.#settle({ error: `the writer thread ended: ${error}`, passing: true });
    });
    return worker;
  }

  /** Answers those that have waited too long; those that the writer has not been given are not stored. */
  #rejectOverdue(): void {
    const due = performance.now() - WAIT_MAX_MS;
    const overdue = (this.#busy?.batch ?? []).filter(({ since }) => since <= due);
    const first = this.#waiting.findIndex(({ since }) => since > due);
    overdue.push(...this.#waiting.splice(0, first < 0 ? this.#waiting.length : first));
    const failure = new StoreFailure("store_unavailable", `the disk took longer than ${WAIT_MAX_MS} ms`);
    for (const { reject } of overdue) reject(failure);
  }
}

function requestOf(batch: readonly Waiting[], now: number): WriterRequest {
  const rows = `[${batch.map(rowOf).join(",")}]`;
  return batch.some(({ retry }) => retry) ? { kind: "retryable", rows, now } : { kind: "plain", rows };
}

function rowOf({ animal, retry }: Waiting): string {
  const row = `${JSON.stringify(animal.name)},${animal.categoryId},"${animal.status}"`;
  return retry ? `[${row},${retry.owner},${JSON.stringify(retry.key)},"${retry.digest}"]` : `[${row}]`;
}

function settleBatch(batch: readonly Waiting[], reply: WriterReply): void {
  if ("first" in reply) {
    const first = BigInt(reply.first);
    batch.forEach(({ animal, resolve }, index) => {
      resolve(animalOf(first + BigInt(index), animal));
    });
  } else if ("each" in reply) {
    batch.forEach((waiting, index) => {
      settleRow(waiting, reply.each[index]);
    });
  } else {
    const reason = reasonOf(reply);
    for (const { reject } of batch) reject(reason);
  }
}

function settleRow({ animal, resolve, reject }: Waiting, outcome: RowOutcome | undefined): void {
  if (outcome?.id !== undefined) resolve(animalOf(BigInt(outcome.id), animal));
  else if (outcome?.reused) resolve("key_reused");
  else reject(new Error(`SQLite refused an animal: ${outcome?.refused}`));
}

function animalOf(id: bigint, { name, categoryId, status }: NewAnimal): Animal {
  return { id, name, categoryId, status };
}

function reasonOf(reply: WriterReply): Error {
  if (!("error" in reply)) return new Error("the writer thread gave an answer to something else");
  return reply.passing ? new StoreFailure("store_unavailable", reply.error) : new Error(reply.error);
}
