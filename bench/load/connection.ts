import { AnswerReader } from "./answer-reader.ts";

export interface Address {
  readonly hostname: string;
  readonly port: number;
}

/** One connection with at most one request in flight. It reconnects after the server has closed it. */
export class LoadConnection {
  readonly #address: Address;
  #socket: Promise<Bun.Socket> | undefined;
  #open: Bun.Socket | undefined;
  #reader = new AnswerReader();
  /** The rest of a request that the kernel did not take at once. */
  #unsent: Buffer | undefined;
  #settle: ((status: number) => void) | undefined;

  constructor(address: Address) {
    this.#address = address;
  }

  /**
   * Sends a request, and passes on the status of its response, or 0 when the connection failed. It takes a callback
   * because a promise for each request would show in the figures.
   */
  send(request: Buffer, settle: (status: number) => void): void {
    this.#settle = settle;
    if (this.#open) this.#write(request);
    else {
      this.connect().then(
        () => this.#write(request),
        () => this.#answered(0),
      );
    }
  }

  /** Connects unless a connection is open. */
  async connect(): Promise<void> {
    this.#socket ??= Bun.connect({
      ...this.#address,
      socket: {
        open: (socket) => {
          socket.setNoDelay(true);
          this.#open = socket;
        },
        data: (_, chunk) => this.#data(chunk),
        drain: () => this.#unsent && this.#write(this.#unsent),
        close: () => this.#closed(),
        error: () => this.#closed(),
        connectError: () => this.#closed(),
      },
    });
    await this.#socket;
  }

  close(): void {
    this.#settle = undefined;
    this.#open?.terminate();
  }

  #write(bytes: Buffer): void {
    const written = Math.max(0, this.#open?.write(bytes) ?? 0);
    this.#unsent = written < bytes.length ? bytes.subarray(written) : undefined;
  }

  #data(chunk: Buffer): void {
    try {
      const status = this.#reader.read(chunk);
      if (status !== undefined) this.#answered(status);
    } catch {
      this.#open?.terminate();
      this.#closed();
    }
  }

  #closed(): void {
    this.#open = undefined;
    this.#socket = undefined;
    this.#unsent = undefined;
    this.#reader = new AnswerReader();
    this.#answered(0);
  }

  #answered(status: number): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(status);
  }
}
