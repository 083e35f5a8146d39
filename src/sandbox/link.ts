import type { Socket } from "node:net";

/** How many bytes of a slow response arrive at a time. */
const PIECE_BYTES = 32;
const HEAD_END = "\r\n\r\n";
const CONTENT_LENGTH = /^content-length: *([0-9]+)/im;
/** Where the JSON of an event begins in a stream. */
const EVENT_DATA = "\ndata: ";
/** How many bytes of that JSON arrive before a cut. */
const EVENT_PART_BYTES = 8;

/**
 * A connection of a client, and its own connection to the service. What the client sends passes unchanged. What the
 * service sends passes too, unless it is withheld, cut or slowed down.
 */
export class Link {
  readonly #client: Socket;
  readonly #service: Socket;
  /** What happens to bytes of the service. */
  #pass: (bytes: Buffer) => void = (bytes) => this.#send(bytes);
  /** Resolves when slow pieces have been sent. */
  #slowly: Promise<void> = Promise.resolve();

  /** @param service is connected */
  constructor(client: Socket, service: Socket) {
    this.#client = client;
    this.#service = service;
    client.pipe(service);
    client.on("drain", () => service.resume());
    client.on("close", () => service.destroy());
    service.on("data", (bytes: Buffer) => this.#pass(bytes));
    service.on("close", () => void this.#slowly.then(() => client.destroySoon()));
    // A socket with an error closes, and that ends the other one.
    for (const socket of [client, service]) socket.on("error", () => {});
  }

  /** Closes the connection after what was sent, and withholds what the service sends from now on. */
  close(): void {
    this.#pass = () => {};
    this.#client.destroySoon();
  }

  /** Closes the connection with a TCP reset. */
  reset(): void {
    this.#client.resetAndDestroy();
  }

  /** Closes the connection in the middle of the body that comes next or, if that is a stream, of its next event. */
  cut(): void {
    let received = Buffer.alloc(0);
    let sent = 0;
    this.#pass = (bytes) => {
      received = Buffer.concat([received, bytes]);
      const point = cutPoint(received);
      const end = Math.min(point ?? received.length, received.length);
      this.#send(received.subarray(sent, end));
      sent = end;
      if (end === point) this.close();
    };
  }

  /** Sends everything from now on in small pieces. */
  slowDown(pauseMs: number): void {
    this.#pass = (bytes) => {
      this.#service.pause();
      this.#slowly = this.#slowly.then(async () => {
        for (let at = 0; at < bytes.length && !this.#client.destroyed; at += PIECE_BYTES) {
          await Bun.sleep(pauseMs);
          this.#client.write(bytes.subarray(at, at + PIECE_BYTES));
        }
        this.#service.resume();
      });
    };
  }

  #send(bytes: Buffer): void {
    if (!this.#client.write(bytes)) this.#service.pause();
  }
}

/** How many bytes of a response arrive before it is cut; `undefined` until that can be told. */
function cutPoint(received: Buffer): number | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const length = CONTENT_LENGTH.exec(received.toString("latin1", 0, headEnd))?.[1];
  if (length !== undefined) return headEnd + HEAD_END.length + Math.floor(Number(length) / 2);
  const data = received.indexOf(EVENT_DATA, headEnd);
  return data < 0 ? undefined : data + EVENT_DATA.length + EVENT_PART_BYTES;
}
