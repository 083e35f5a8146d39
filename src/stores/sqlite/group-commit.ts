import { Worker } from "node:worker_threads";
import type { Animal, NewAnimal } from "../../domain/animal.ts";
import { StoreFailure } from "../../domain/failure.ts";
import type { WriterReply } from "./writer.ts";

/** Creates that may wait for the disk at once. With names at their longest they take some 20 MB. */
const QUEUE_MAX = 10_000;
/** Creates in one transaction: enough to make the sync cheap, few enough to keep each answer soon. */
const BATCH_MAX = 1000;

interface Waiting {
  readonly animal: NewAnimal;
  readonly resolve: (animal: Animal) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit: the creates that arrive while the disk is busy with others share one transaction and
 * one sync, on a thread of their own, so that nothing else waits for the disk. A create is answered
 * when its transaction is on the disk.
 */
export class GroupCommit {
  readonly #file: string;
  #worker: Worker | undefined;
  #waiting: Waiting[] = [];
  #inFlight: Waiting[] = [];
  #sending = false;
  #closed: (() => void) | undefined;

  /** @param file the database, migrated */
  constructor(file: string) {
    this.#file = file;
  }

  /** Starts the thread, if it does not run: a first create need not wait for it then. */
  start(): void {
    this.#worker ??= this.#startWorker();
  }

  add(animal: NewAnimal): Promise<Animal> {
    if (this.#waiting.length >= QUEUE_MAX) {
      return Promise.reject(new StoreFailure("overloaded", `${QUEUE_MAX} creates wait for the disk`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ animal, resolve, reject });
      this.#sendSoon();
    });
  }

  /** Resolves when everything that waits has been answered and the thread is gone. */
  async close(): Promise<void> {
    if (this.#waiting.length + this.#inFlight.length > 0) {
      await new Promise<void>((resolve) => {
        this.#closed = resolve;
      });
    }
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Sends when the requests that have already arrived have been read, so that they go together. */
  #sendSoon(): void {
    if (this.#sending || this.#inFlight.length > 0) return;
    this.#sending = true;
    setImmediate(() => {
      this.#sending = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#inFlight.length > 0 || this.#waiting.length === 0) return;
    this.start();
    this.#inFlight = this.#waiting.splice(0, BATCH_MAX);
    const rows = this.#inFlight.map(
      ({ animal }) => `[${JSON.stringify(animal.name)},${animal.categoryId},"${animal.status}"]`,
    );
    this.#worker?.postMessage(`[${rows.join(",")}]`);
  }

  /** Settles the batch that was in flight, then sends the next. */
  #settle(settle: (waiting: Waiting, index: number) => void): void {
    const batch = this.#inFlight;
    this.#inFlight = [];
    batch.forEach(settle);
    this.#send();
    if (this.#inFlight.length === 0) this.#closed?.();
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL("./writer.ts", import.meta.url), { workerData: this.#file });
    worker.on("message", (reply: string) => this.#take(JSON.parse(reply) as WriterReply));
    worker.on("error", (error) => {
      this.#worker = undefined;
      // Whether the batch was committed is not known: its clients are told to ask again.
      this.#reject(new StoreFailure("store_unavailable", "the writer thread ended", { cause: error }));
    });
    return worker;
  }

  #take(reply: WriterReply): void {
    if ("first" in reply) {
      const first = BigInt(reply.first);
      this.#settle(({ animal, resolve }, index) => resolve({ id: first + BigInt(index), ...animal }));
    } else if ("each" in reply) {
      this.#settle(({ animal, resolve, reject }, index) => {
        const row = reply.each[index];
        if (row?.id !== undefined) resolve({ id: BigInt(row.id), ...animal });
        else reject(new Error(`SQLite refused an animal: ${row?.refused}`));
      });
    } else {
      this.#reject(
        reply.passing ? new StoreFailure("store_unavailable", reply.error) : new Error(reply.error),
      );
    }
  }

  #reject(reason: Error): void {
    this.#settle(({ reject }) => reject(reason));
  }
}
