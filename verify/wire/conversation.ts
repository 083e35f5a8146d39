import { headersOf, headOf } from "./head.ts";

/** A response as it came over the wire. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The bytes, as UTF-8. */
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";

/** A connection to a service that sends raw bytes and reads one response after the other. */
export class Conversation implements Disposable {
  // Not a socket of `node:net`: that drops what it has received but not yet handed over when a reset follows.
  #socket: Bun.Socket | undefined;
  /** Bytes that the kernel has not taken yet. */
  #unsent = Buffer.alloc(0);
  #isEnding = false;
  /** Bytes that belong to no response read so far, as Latin-1. */
  #unread = "";
  #pieces = 0;
  #over = false;
  #error: string | undefined;
  #news = Promise.withResolvers<void>();

  private constructor() {}

  /** @throws an error with a code, such as ECONNREFUSED */
  static async open(address: string): Promise<Conversation> {
    const { hostname, port } = new URL(address);
    const conversation = new Conversation();
    conversation.#socket = await Bun.connect({
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port),
      // A service that ends its side does not end ours, so a test sees what the service does itself.
      allowHalfOpen: true,
      socket: {
        open: (socket) => void socket.setNoDelay(true),
        data: (_, bytes) => conversation.#receive(bytes),
        drain: () => conversation.#flush(),
        end: () => conversation.#end(),
        close: (_, error) => conversation.#end(error),
        error: (_, error) => conversation.#end(error),
      },
    });
    return conversation;
  }

  /** The code of the error that ended the connection, if one did. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The number of pieces in which bytes have arrived. */
  get pieces(): number {
    return this.#pieces;
  }

  /** Whether the service has closed the connection. */
  get over(): boolean {
    return this.#over;
  }

  /** The bytes that belong to no response read so far, as Latin-1. */
  get unread(): string {
    return this.#unread;
  }

  /** @param bytes a string is taken as Latin-1: one byte a character */
  send(bytes: string | Uint8Array): void {
    this.#unsent = Buffer.concat([this.#unsent, Buffer.from(bytes as string, "latin1")]);
    this.#flush();
  }

  /** Ends the sending side. */
  end(): void {
    this.#isEnding = true;
    this.#flush();
  }

  /** Cuts the connection off, so that the service gets a reset. */
  reset(): void {
    this.#over = true;
    this.#socket?.terminate();
  }

  /**
   * The next response, interim ones included; `undefined` when the service closes the connection without a whole one,
   * or the time is up.
   *
   * @param toHead whether it answers a HEAD: then it has no body, whatever its length says
   * @throws MalformedResponse
   */
  async next(toHead = false, withinMs = Number.POSITIVE_INFINITY): Promise<WireResponse | undefined> {
    const until = performance.now() + withinMs;
    for (;;) {
      const response = this.#take(toHead);
      const left = until - performance.now();
      if (response || this.#over || left <= 0) return response;
      await this.#wait(left);
    }
  }

  /** Resolves when the unread bytes match, or the service has closed the connection; returns them. */
  async heard(pattern: RegExp): Promise<string> {
    while (!this.#over && !pattern.test(this.#unread)) await this.#news.promise;
    return this.#unread;
  }

  /** Resolves when the service has closed the connection, with the unread bytes. */
  async closed(): Promise<string> {
    while (!this.#over) await this.#news.promise;
    return this.#unread;
  }

  [Symbol.dispose](): void {
    this.#over = true;
    this.#socket?.end();
  }

  #flush(): void {
    const sent = this.#socket?.write(this.#unsent) ?? 0;
    this.#unsent = this.#unsent.subarray(Math.max(0, sent));
    if (this.#isEnding && this.#unsent.length === 0) this.#socket?.shutdown();
  }

  #receive(bytes: Buffer): void {
    this.#unread += bytes.toString("latin1");
    this.#pieces++;
    this.#notify();
  }

  #end(error?: Error): void {
    this.#over = true;
    this.#error ??= (error as NodeJS.ErrnoException | undefined)?.code;
    this.#notify();
  }

  #notify(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** Resolves when something has arrived, or after some milliseconds. */
  async #wait(milliseconds: number): Promise<void> {
    const timer =
      milliseconds === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => this.#notify(), milliseconds);
    await this.#news.promise;
    clearTimeout(timer);
  }

  /** Takes a response off the unread bytes. A body without a declared length, such as a stream, stays unread. */
  #take(toHead: boolean): WireResponse | undefined {
    const end = this.#unread.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const { status, fields, length = 0 } = headOf(this.#unread.slice(0, end));
    const hasBody = !toHead && status >= 200 && status !== 204 && status !== 304;
    const start = end + HEAD_END.length;
    const bodyEnd = start + (hasBody ? length : 0);
    if (this.#unread.length < bodyEnd) return undefined;
    const headers = headersOf(fields);
    const bytes = Buffer.from(this.#unread.slice(start, bodyEnd), "latin1");
    this.#unread = this.#unread.slice(bodyEnd);
    return { status, headers, bytes, body: bytes.toString() };
  }
}
