/** Who sends. */
interface Sender {
  /** Called when the client has left. */
  clientLeft(): void;
}

/**
 * The way to a client that reads a stream: its body, and what is known of the client's reading. The runtime calls `start`,
 * `pull` and `cancel` of its `ReadableStream`. A queue that measures bytes, and closures in place of these methods, would take
 * twice the memory of an idle stream.
 */
export class Outlet implements Bun.UnderlyingSource<Uint8Array> {
  readonly body: ReadableStream<Uint8Array>;
  readonly #sender: Sender;
  /** Present until the stream ends. */
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #whenTaken: (() => void) | undefined;

  constructor(sender: Sender) {
    this.#sender = sender;
    this.body = new ReadableStream<Uint8Array>(this);
  }

  /** Called at once. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /** Called when the client has taken all that it was sent. */
  pull(): void {
    this.#whenTaken?.();
    this.#whenTaken = undefined;
  }

  /** Called when the client has left. */
  cancel(): void {
    this.#controller = undefined;
    this.pull();
    this.#sender.clientLeft();
  }

  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  /** Whether chunks wait for the client: an empty queue desires one. */
  get hasUnread(): boolean {
    return (this.#controller?.desiredSize ?? 0) < 1;
  }

  /** Resolves when the client has taken all that it was sent, or the stream has ended. */
  taken(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenTaken = resolve;
    });
  }

  /** Sends bytes, unless the stream has ended. */
  send(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes);
  }

  /** Ends the stream after what was sent. */
  close(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    this.pull();
    controller?.close();
  }
}
