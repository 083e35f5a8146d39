import { Worker } from "node:worker_threads";
import type { WriterChannel } from "./writer-channel.ts";
import type { WriterReply, WriterRequest, WriterTask } from "./writer-messages.ts";

/** The thread on which animals are written, seen from the main one. */
export class WriterThread implements WriterChannel {
  readonly sharers = 1;
  readonly #task: WriterTask;
  #worker: Worker | undefined;
  /** Those who wait for a reply, in the order of their requests. */
  #asked: ((reply: WriterReply) => void)[] = [];

  constructor(task: WriterTask) {
    this.#task = task;
  }

  ask(request: WriterRequest): Promise<WriterReply> {
    const worker = this.#start();
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      worker.postMessage(request);
    });
  }

  serve(descriptor: number): void {
    this.#start().postMessage({ kind: "serve", descriptor });
  }

  /** The thread closes its connection itself: the last one to be closed waits for the disk. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await new Promise<unknown>((resolve) => {
      this.#asked.push(resolve);
      worker.postMessage({ kind: "close" });
    });
    await worker.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    this.#worker ??= this.#startWorker();
    return this.#worker;
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL("./writer.ts", import.meta.url), { workerData: this.#task });
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
