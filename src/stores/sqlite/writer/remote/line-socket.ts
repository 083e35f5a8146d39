import type { FdSocketOptions, Socket, UnixSocketOptions } from "bun";

/** Receives what happens on a socket. */
interface LineHandler {
  line(text: string): void;
  /** The other end is gone, or this end was closed. */
  closed(): void;
}

/** One end of a socket pair that carries lines of text in both directions. */
export class LineSocket {
  readonly #connecting: Promise<Socket>;
  #socket: Socket | undefined;
  #closed = false;
  /** Lines that the socket has not accepted yet, since the other end does not read. */
  #unsent: Uint8Array[] = [];

  /** @param descriptor a connected socket; this object owns it from now on */
  constructor(descriptor: number, handler: LineHandler) {
    const decoder = new TextDecoder();
    let begun = "";
    const options: FdSocketOptions = {
      fd: descriptor,
      socket: {
        data: (_, bytes) => {
          const text = decoder.decode(bytes, { stream: true });
          let from = 0;
          for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
            const line = begun + text.slice(from, end);
            begun = "";
            from = end + 1;
            handler.line(line);
          }
          begun += text.slice(from);
        },
        drain: () => this.#sendOn(),
        close: () => {
          this.#closed = true;
          this.#unsent = [];
          handler.closed();
        },
      },
    };
    // The runtime supports these options, but its types for `connect` lack them.
    this.#connecting = Bun.connect(options as unknown as UnixSocketOptions);
    this.#connecting.then(
      (socket) => {
        this.#socket = socket;
        this.#sendOn();
      },
      () => {
        this.#closed = true;
        handler.closed();
      },
    );
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** @param text one line, without a line end */
  send(text: string): void {
    if (this.#closed) return;
    this.#unsent.push(new TextEncoder().encode(`${text}\n`));
    if (this.#unsent.length === 1) this.#sendOn();
  }

  async close(): Promise<void> {
    (await this.#connecting.catch(() => undefined))?.end();
  }

  #sendOn(): void {
    const socket = this.#socket;
    if (!socket) return;
    for (let next = this.#unsent[0]; next; next = this.#unsent[0]) {
      const sent = socket.write(next);
      if (sent < next.length) {
        this.#unsent[0] = next.subarray(Math.max(sent, 0));
        return;
      }
      this.#unsent.shift();
    }
  }
}
