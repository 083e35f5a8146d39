/** A server-sent event as a client gets it; a comment or a bare position has no type. */
export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly data: string | undefined;
  readonly isComment: boolean;
}

/** Reads server-sent events off a response, and closes it with `await using`. */
export class EventReader implements AsyncDisposable {
  readonly #abort: AbortController;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";
  readonly response: Response;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#reader = (
      response.body as ReadableStream<Uint8Array>
    ).getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  static async open(
    address: string,
    key: string,
    path = "/v1/events",
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(address + path, {
      signal: abort.signal,
      headers: { accept: "text/event-stream", authorization: `Bearer ${key}`, ...headers },
    });
    return new EventReader(response, abort);
  }

  /** The next block of the stream, whatever it is; `undefined` at its end. */
  async block(): Promise<ReceivedEvent | undefined> {
    let end = this.#text.indexOf("\n\n");
    while (end < 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
      end = this.#text.indexOf("\n\n");
    }
    const lines = this.#text.slice(0, end).split("\n");
    this.#text = this.#text.slice(end + 2);
    const field = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    return {
      id: field("id"),
      type: field("event"),
      data: field("data"),
      isComment: lines.some((line) => line.startsWith(":")),
    };
  }

  /** The next event; `undefined` at the end of the stream. */
  async next(): Promise<ReceivedEvent | undefined> {
    for (;;) {
      const block = await this.block();
      if (block === undefined || block.data !== undefined) return block;
    }
  }

  async take(count: number): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
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
