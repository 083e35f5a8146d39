import type { WriterSocket } from "../../../opened-store.ts";
import type { WriterChannel } from "../channel.ts";
import { lineOf, type WriterReply, type WriterRequest } from "../messages.ts";
import { LineSocket } from "./line-socket.ts";

/** The writer thread of another process, seen from this process: several processes share one writer. */
export class RemoteWriter implements WriterChannel {
  readonly sharers: number;
  readonly #socket: LineSocket;
  /** The callers that wait for a reply, in the order of their requests. */
  #asked: ((reply: WriterReply) => void)[] = [];

  #closing = false;

  constructor({ descriptor, sharers, lost }: WriterSocket) {
    this.sharers = sharers;
    this.#socket = new LineSocket(descriptor, {
      line: (text) => this.#asked.shift()?.(JSON.parse(text) as WriterReply),
      closed: () => {
        const asked = this.#asked;
        this.#asked = [];
        // Whether anything was committed is unknown, so clients are told to retry.
        for (const answer of asked) answer(GONE);
        if (!this.#closing) lost();
      },
    });
  }

  ask(request: WriterRequest): Promise<WriterReply> {
    if (this.#socket.isClosed) return Promise.resolve(GONE);
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#socket.send(lineOf(request));
    });
  }

  close(): Promise<void> {
    this.#closing = true;
    return this.#socket.close();
  }
}

const GONE: WriterReply = { error: "the process that writes has hung up", transient: true };
