import { BATCH_MAX } from "../../../group-commit.ts";
import { requestOf, type WriteRequest, type WriterRequest } from "../messages.ts";
import type { StoreWriter } from "../store-writer.ts";
import { LineSocket } from "./line-socket.ts";

/** How long processes are waited for that may come back, as a part of what the last transaction took. */
const PATIENCE = 0.5;
/** The runtime's timers know nothing shorter. */
const PATIENCE_MIN_MS = 1;
const PATIENCE_MAX_MS = 20;

interface Asked {
  readonly request: WriterRequest;
  readonly from: LineSocket;
}

/**
 * Writes for other processes: the batches that have come from all of them share one transaction and one sync.
 */
export class WriterServer {
  readonly #writer: StoreWriter;
  #asked: Asked[] = [];
  /** Those whose batches were stored a moment ago, and who have more as likely as not. */
  readonly #returning = new Set<LineSocket>();
  #lastTook = 0;
  #patience: Timer | undefined;
  #writingSoon = false;

  constructor(writer: StoreWriter) {
    this.#writer = writer;
  }

  /** @param descriptor of a socket, at whose other end one asks; it is closed when that one is */
  serve(descriptor: number): void {
    const socket: LineSocket = new LineSocket(descriptor, {
      line: (text) => {
        this.#asked.push({ request: requestOf(text), from: socket });
        this.#returning.delete(socket);
        this.#goOn();
      },
      closed: () => {
        this.#returning.delete(socket);
        this.#goOn();
      },
    });
  }

  /**
   * One that was answered a moment ago comes back with the next batch as soon as it runs. To begin without it would
   * make two transactions of one, and so on for ever: each would come while the other's is written.
   */
  #goOn(): void {
    if (this.#asked.length === 0 || this.#writingSoon) return;
    if (this.#returning.size > 0) {
      const milliseconds = Math.max(this.#lastTook * PATIENCE, PATIENCE_MIN_MS);
      this.#patience ??= setTimeout(() => this.#writeSoon(), Math.min(milliseconds, PATIENCE_MAX_MS));
    } else this.#writeSoon();
  }

  #writeSoon(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#returning.clear();
    this.#writingSoon = true;
    // What others have sent already is read first.
    setImmediate(() => {
      this.#writingSoon = false;
      const started = performance.now();
      this.#write();
      this.#lastTook = performance.now() - started;
      this.#goOn();
    });
  }

  #write(): void {
    const batches = this.#takeBatches();
    if (batches.length === 0) {
      const { request, from } = this.#asked.shift() as Asked;
      from.send(JSON.stringify(this.#writer.write(request)));
      return;
    }
    const replies = this.#writer.writeTogether(batches.map(({ request }) => request));
    for (const [at, { request, from }] of batches.entries()) {
      from.send(JSON.stringify(replies[at]));
      if (request.count > 1) this.#returning.add(from);
    }
  }

  /** The batches that are first in line, as many as one transaction is to have. */
  #takeBatches(): { readonly request: WriteRequest; readonly from: LineSocket }[] {
    const taken = [];
    let writes = 0;
    for (const { request, from } of this.#asked) {
      if (!("count" in request)) break;
      writes += request.count;
      if (writes > BATCH_MAX && taken.length > 0) break;
      taken.push({ request, from });
    }
    this.#asked.splice(0, taken.length);
    return taken;
  }
}
