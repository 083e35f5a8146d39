import { Worker } from "node:worker_threads";
import { StoreFailure } from "../../domain/failure.ts";
import type { BatchOutcome, Create, Outcome } from "../group-commit.ts";
import type { RowOutcome, WriterReply, WriterRequest } from "./writer.ts";

/** The thread on which animals are written, seen from the main one. */
export class WriterThread {
  readonly #file: string;
  #worker: Worker | undefined;
  /** Those who wait for a reply, in the order of their requests. */
  #asked: ((reply: WriterReply) => void)[] = [];

  /** @param file the database, migrated */
  constructor(file: string) {
    this.#file = file;
  }

  /** @param now milliseconds since 1970 */
  async write(creates: readonly Create[], now: number): Promise<BatchOutcome> {
    const rows = `[${creates.map(rowOf).join(",")}]`;
    const retryable = creates.some(({ retry }) => retry);
    const reply = await this.#ask(retryable ? { kind: "retryable", rows, now } : { kind: "plain", rows });
    if ("first" in reply) return { first: BigInt(reply.first) };
    if ("each" in reply) return { each: reply.each.map(outcomeOf) };
    throw reasonOf(reply);
  }

  /** Forgets some retries that began at `before` (milliseconds since 1970) or earlier; tells how many. */
  async sweep(before: number): Promise<number> {
    const reply = await this.#ask({ kind: "sweep", before });
    if ("swept" in reply) return reply.swept;
    throw reasonOf(reply);
  }

  /** Commits what changes nothing. */
  async tryToWrite(): Promise<void> {
    const reply = await this.#ask({ kind: "try" });
    if (!("tried" in reply)) throw reasonOf(reply);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(request: WriterRequest): Promise<WriterReply> {
    this.#worker ??= this.#startWorker();
    const worker = this.#worker;
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      worker.postMessage(request);
    });
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL("./writer.ts", import.meta.url), { workerData: this.#file });
    worker.on("message", (reply: WriterReply) => this.#asked.shift()?.(reply));
    worker.on("error", (error) => {
      this.#worker = undefined;
      const asked = this.#asked;
      this.#asked = [];
      // Whether anything was committed is not known: clients are told to ask again.
      for (const answer of asked) answer({ error: `the writer thread ended: ${error}`, passing: true });
    });
    return worker;
  }
}

function rowOf({ animal, retry }: Create): string {
  const row = `${JSON.stringify(animal.name)},${animal.categoryId},"${animal.status}"`;
  return retry ? `[${row},${retry.owner},${JSON.stringify(retry.key)},"${retry.digest}"]` : `[${row}]`;
}

function outcomeOf({ id, reused, refused }: RowOutcome): Outcome {
  if (id !== undefined) return { id: BigInt(id) };
  return reused ? { reused } : { refused: refused ?? "for no reason" };
}

function reasonOf(reply: WriterReply): Error {
  if (!("error" in reply)) return new Error("the writer thread answered something else");
  return reply.passing ? new StoreFailure("store_unavailable", reply.error) : new Error(reply.error);
}
