import { connect, type Socket } from "node:net";

/** An answer as it stood on the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends bytes on a connection of their own and returns the bytes of the answer, whose body is a JSON object. */
export async function sendRaw(address: string, bytes: string | Uint8Array): Promise<string> {
  using conversation = await Conversation.open(address);
  conversation.send(bytes);
  return await conversation.heard(/}$/);
}

/** A connection to a service on which bytes go as they are, and answers are read one after the other. */
export class Conversation implements Disposable {
  readonly #socket: Socket;
  /** Bytes that no answer has used up yet, as Latin-1. */
  #unread = "";
  #pieces = 0;
  #over = false;
  #error: NodeJS.ErrnoException | undefined;
  #news = Promise.withResolvers<void>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (bytes: string) => {
      this.#unread += bytes;
      this.#pieces++;
      this.#tell();
    });
    socket.on("error", (error) => {
      this.#error = error;
    });
    for (const event of ["end", "close"]) {
      socket.on(event, () => {
        this.#over = true;
        this.#tell();
      });
    }
  }

  /** @throws the error of `connect`, such as ECONNREFUSED */
  static open(address: string): Promise<Conversation> {
    const { hostname, port } = new URL(address);
    const host = hostname.replace(/^\[|\]$/g, "");
    // With `allowHalfOpen` a service that ends its side does not end ours: we see what it does itself.
    const socket = connect({ host, port: Number(port), allowHalfOpen: true });
    const conversation = new Conversation(socket);
    return new Promise((resolve, reject) => {
      socket.once("connect", () => resolve(conversation));
      socket.once("error", reject);
    });
  }

  /** What ended the connection, where that was an error. */
  get error(): string | undefined {
    return this.#error?.code;
  }

  /** In how many pieces bytes have come. */
  get pieces(): number {
    return this.#pieces;
  }

  /** Whether the service has closed the connection. */
  get over(): boolean {
    return this.#over;
  }

  /** @param bytes a string is taken as Latin-1: one byte a character */
  send(bytes: string | Uint8Array): void {
    if (!this.#socket.destroyed) this.#socket.write(Buffer.from(bytes as string, "latin1"));
  }

  /** Ends the sending side. */
  end(): void {
    this.#socket.end();
  }

  /** Cuts the connection off, so that the service gets a reset. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /**
   * The next answer; `undefined` when the service closes the connection without a whole one.
   *
   * @param toHead whether it answers a HEAD: then it has no body, whatever its length says
   */
  async next(toHead = false): Promise<WireAnswer | undefined> {
    for (;;) {
      const answer = this.#take(toHead);
      if (answer) return answer;
      if (this.#over) return undefined;
      await this.#news.promise;
    }
  }

  /** Resolves when the bytes that no answer has used up match, or the service has closed the connection; returns them. */
  async heard(pattern: RegExp): Promise<string> {
    while (!this.#over && !pattern.test(this.#unread)) await this.#news.promise;
    return this.#unread;
  }

  /** Resolves when the service has closed the connection, with the bytes that no answer has used up. */
  async closed(): Promise<string> {
    while (!this.#over) await this.#news.promise;
    return this.#unread;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  #take(toHead: boolean): WireAnswer | undefined {
    const end = this.#unread.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [statusLine = "", ...fields] = this.#unread.slice(0, end).split("\r\n");
    const headers = new Headers(fields.map((field) => field.split(/:(.*)/s).slice(0, 2) as [string, string]));
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1]);
    const hasBody = !toHead && status >= 200 && status !== 204 && status !== 304;
    const length = hasBody ? Number(headers.get("content-length")) : 0;
    const start = end + 4;
    if (this.#unread.length < start + length) return undefined;
    const body = Buffer.from(this.#unread.slice(start, start + length), "latin1").toString();
    this.#unread = this.#unread.slice(start + length);
    return { status, headers, body };
  }
}
