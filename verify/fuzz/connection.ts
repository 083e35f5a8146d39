import type { Socket } from "bun";

/** An answer as received: the head as Latin-1, the body as it was sent. */
export interface FuzzAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** How long an answer may take, in milliseconds: longer is a hang. */
const DEADLINE_MS = 20_000;

const HEAD_END = Buffer.from("\r\n\r\n");

/** The bytes received are not an HTTP answer. */
export class NoAnswer extends Error {}

/** A connection that sends raw bytes and reads one answer at a time. */
export class FuzzConnection {
  #socket: Socket | undefined;
  #unread: Buffer = Buffer.alloc(0);
  #unsent: Buffer = Buffer.alloc(0);
  #closed = false;
  #news: (() => void) | undefined;

  static async open(port: number): Promise<FuzzConnection> {
    const connection = new FuzzConnection();
    connection.#socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_, bytes) => connection.#receive(bytes),
        drain: () => connection.#flush(),
        end: () => connection.#end(),
        close: () => connection.#end(),
        error: () => connection.#end(),
      },
    });
    return connection;
  }

  /** Whether the service has closed it. */
  get closed(): boolean {
    return this.#closed;
  }

  send(bytes: Uint8Array): void {
    this.#unsent = this.#unsent.length > 0 ? Buffer.concat([this.#unsent, bytes]) : Buffer.from(bytes);
    this.#flush();
  }

  close(): void {
    this.#closed = true;
    this.#socket?.terminate();
  }

  /**
   * The next answer; "closed" if the service closes the connection first, "silent" if nothing comes in time.
   *
   * @param toHead whether it answers a HEAD
   * @throws NoAnswer
   */
  async next(toHead: boolean, waitMs = DEADLINE_MS): Promise<FuzzAnswer | "closed" | "silent"> {
    const until = performance.now() + waitMs;
    for (;;) {
      const answer = this.#take(toHead);
      // An interim answer (1xx) precedes the final one.
      if (answer && answer.status >= 200) return answer;
      if (answer) continue;
      if (this.#closed) {
        if (this.#unread.length > 0)
          throw new NoAnswer(`it closed after ${JSON.stringify(this.#unread.toString("latin1"))}`);
        return "closed";
      }
      const left = until - performance.now();
      if (left <= 0) return "silent";
      await this.#wait(left);
    }
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#news = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #receive(bytes: Buffer): void {
    this.#unread = this.#unread.length > 0 ? Buffer.concat([this.#unread, bytes]) : Buffer.from(bytes);
    this.#news?.();
  }

  #end(): void {
    this.#closed = true;
    this.#news?.();
  }

  #flush(): void {
    if (this.#unsent.length === 0 || this.#closed || !this.#socket) return;
    const sent = this.#socket.write(this.#unsent);
    this.#unsent = this.#unsent.subarray(Math.max(0, sent));
  }

  #take(toHead: boolean): FuzzAnswer | undefined {
    const end = this.#unread.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const [statusLine = "", ...fields] = this.#unread.toString("latin1", 0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 ([1-5][0-9][0-9]) [\x20-\x7e]+$/.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new NoAnswer(`the status line is ${JSON.stringify(statusLine)}`);
    const headers = new Map<string, string>();
    for (const field of fields) {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?(.*)$/.exec(field) ?? [];
      if (name === undefined || value === undefined)
        throw new NoAnswer(`a field is ${JSON.stringify(field)}`);
      if (headers.has(name.toLowerCase())) throw new NoAnswer(`${name} stands twice`);
      headers.set(name.toLowerCase(), value);
    }
    const hasBody = !toHead && status >= 200 && status !== 204 && status !== 304;
    const declared = headers.get("content-length");
    // The runtime's own refusals have no length: they end with the connection.
    const length = hasBody && declared !== undefined ? Number(declared) : 0;
    const start = end + HEAD_END.length;
    if (this.#unread.length < start + length) return undefined;
    const body = this.#unread.subarray(start, start + length);
    this.#unread = this.#unread.subarray(start + length);
    return { status, headers, body };
  }
}
