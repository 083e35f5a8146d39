import { BlockSplitter, type StreamBlock } from "../../contract/server-sent-events.ts";

/** Reads server-sent events off a response, and closes it with `await using`. */
export class EventReader implements AsyncDisposable {
  readonly #abort: AbortController;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #splitter = new BlockSplitter();
  readonly #blocks: StreamBlock[] = [];
  readonly response: Response;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#reader = (
      response.body as ReadableStream<Uint8Array>
    ).getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  static open(
    address: string,
    key: string,
    path = "/v1/events",
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventReader> {
    return EventReader.at(address + path, { authorization: `Bearer ${key}`, ...headers });
  }

  /** @param headers with the key among them */
  static async at(url: string, headers: Readonly<Record<string, string>>): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(url, {
      signal: abort.signal,
      headers: { accept: "text/event-stream", ...headers },
    });
    return new EventReader(response, abort);
  }

  /** The next block of the stream, whatever it is; `undefined` at its end. */
  async block(): Promise<StreamBlock | undefined> {
    while (this.#blocks.length === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#blocks.push(...this.#splitter.push(value));
    }
    return this.#blocks.shift();
  }

  /** The next event; `undefined` at the end of the stream. */
  async next(): Promise<StreamBlock | undefined> {
    for (;;) {
      const block = await this.block();
      if (block === undefined || block.data !== undefined) return block;
    }
  }

  async take(count: number): Promise<StreamBlock[]> {
    const events: StreamBlock[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (!event) break;
      events.push(event);
    }
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#reader.cancel().catch(() => {});
  }
}
