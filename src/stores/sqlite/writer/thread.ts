import { closeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { StoreFailure } from "../../../domain/failure.ts";
import { assertFreeDescriptors } from "../../../system/free-descriptors.ts";
import type { WriterChannel } from "./channel.ts";
import type { WriterReply, WriterRequest, WriterTask } from "./messages.ts";

/** More file descriptors than a starting thread needs: two for its event loop, and one for each source file in turn. */
const DESCRIPTORS = 6;

/** The writer thread, seen from the main thread. */
export class WriterThread implements WriterChannel {
  readonly sharers = 1;
  readonly #task: WriterTask;
  #worker: Worker | undefined;
  #isClosed = false;
  /** The callers that wait for a reply, in the order of their requests. */
  #asked: ((reply: WriterReply) => void)[] = [];

  constructor(task: WriterTask) {
    this.#task = task;
  }

  /**
   * Starts the thread before there is work for it; resolves when it runs or has failed.
   *
   * @throws StoreFailure if the process cannot open enough files
   */
  async start(): Promise<void> {
    if (this.#worker) return;
    const worker = this.#start();
    await new Promise<unknown>((resolve) => worker.once("online", resolve).once("error", resolve));
  }

  ask(request: WriterRequest): Promise<WriterReply> {
    // A new thread would keep the file open, and nobody would end it.
    if (this.#isClosed) return Promise.resolve({ error: "the store was closed", transient: true });
    let worker: Worker;
    try {
      worker = this.#start();
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      return Promise.resolve({ error: error.message, transient: true });
    }
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      worker.postMessage(request);
    });
  }

  /**
   * Makes the thread write for another process.
   *
   * @param descriptor a socket to that process; if no thread can be started, it is closed
   */
  serve(descriptor: number): void {
    let worker: Worker;
    try {
      worker = this.#start();
    } catch (error) {
      closeSync(descriptor);
      if (error instanceof StoreFailure) return;
      throw error;
    }
    worker.postMessage({ kind: "serve", descriptor });
  }

  /** The thread closes its own connection, since closing the last connection waits for the disk. */
  async close(): Promise<void> {
    this.#isClosed = true;
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
    assertDescriptorsLeft();
    const worker = new Worker(new URL("./thread-main.ts", import.meta.url), { workerData: this.#task });
    worker.on("message", (reply: WriterReply) => this.#asked.shift()?.(reply));
    worker.on("error", (error) => {
      this.#worker = undefined;
      const asked = this.#asked;
      this.#asked = [];
      // Whether anything was committed is unknown, so clients are told to retry.
      for (const answer of asked) answer({ error: `the writer thread ended: ${error}`, transient: true });
    });
    return worker;
  }
}

/**
 * A thread without a file descriptor for its event loop would end the whole process.
 *
 * @throws StoreFailure `store_unavailable`
 */
function assertDescriptorsLeft(): void {
  try {
    assertFreeDescriptors(DESCRIPTORS);
  } catch (error) {
    const { message } = error as Error;
    throw new StoreFailure("store_unavailable", `the writer thread cannot be started: ${message}`);
  }
}
