import type { FdSocketOptions, Socket, UnixSocketOptions } from "bun";

/** What happens on a line. */
interface LineHandler {
  line(text: string): void;
  /** The other end is gone, or this one was closed. */
  closed(): void;
}

/** One end of a pair of sockets on which lines of text go both ways. */
export class LineSocket {
  readonly #connecting: Promise<Socket>;
  #socket: Socket | undefined;
  #closed = false;
  /** What has not been taken yet: where the other end does not read, it stays here. */
  #unsent: Uint8Array[] = [];

  /** @param descriptor of a connected socket, which belongs to this from now on */
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
    // The runtime takes these options; its types of `connect` do not name them.
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

  /** @param text without a line end in it */
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
