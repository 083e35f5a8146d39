import type { Socket } from "node:net";

/** How many bytes of a slow response arrive at a time. */
const PIECE_BYTES = 32;
const HEAD_END = "\r\n\r\n";
/** An interim head, which another head follows (RFC 9110, section 15.2). */
const INTERIM = /^HTTP\/1\.1 1[0-9]{2} /;
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
  /** Handles the bytes that the service sends. */
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

  /** Closes the connection once what was passed on has left, and discards what the service sends from now on. */
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

  /**
   * Sends the response that comes next in small pieces.
   *
   * @param hasBody whether a body follows its head
   */
  slowDown(pauseMs: number, hasBody: boolean): void {
    let received = Buffer.alloc(0);
    /** How many bytes of the response are to come; unknown before its head has come. */
    let left: number | undefined;
    this.#pass = (bytes) => {
      if (left === undefined) {
        received = Buffer.concat([received, bytes]);
        const head = headOf(received);
        if (head) left = head.end + (hasBody ? (head.length ?? Number.POSITIVE_INFINITY) : 0);
        if (left !== undefined) left -= received.length - bytes.length;
      }
      const own = bytes.subarray(0, left);
      this.#sendSlowly(own, pauseMs);
      if (left === undefined) return;
      left -= own.length;
      if (left > 0) return;
      this.#pass = (others) => void this.#slowly.then(() => this.#send(others));
      this.#pass(bytes.subarray(own.length));
    };
  }

  #sendSlowly(bytes: Buffer, pauseMs: number): void {
    this.#service.pause();
    this.#slowly = this.#slowly.then(async () => {
      for (let at = 0; at < bytes.length && !this.#client.destroyed; at += PIECE_BYTES) {
        await Bun.sleep(pauseMs);
        this.#client.write(bytes.subarray(at, at + PIECE_BYTES));
      }
      this.#service.resume();
    });
  }

  #send(bytes: Buffer): void {
    if (!this.#client.write(bytes)) this.#service.pause();
  }
}

/**
 * Where the head of a response ends, and how long its body is if it says so; `undefined` until the head has come. A head
 * like that of `100 Continue` counts as part of the response that it announces.
 */
function headOf(received: Buffer): { readonly end: number; readonly length: number | undefined } | undefined {
  let start = 0;
  for (;;) {
    const mark = received.indexOf(HEAD_END, start);
    if (mark < 0) return undefined;
    const head = received.toString("latin1", start, mark);
    start = mark + HEAD_END.length;
    if (INTERIM.test(head)) continue;
    const length = CONTENT_LENGTH.exec(head)?.[1];
    return { end: start, length: length === undefined ? undefined : Number(length) };
  }
}

/** How many bytes of a response arrive before it is cut; `undefined` until that can be told. */
function cutPoint(received: Buffer): number | undefined {
  const head = headOf(received);
  if (!head) return undefined;
  if (head.length !== undefined) return head.end + Math.floor(head.length / 2);
  const data = received.indexOf(EVENT_DATA, head.end - 1);
  return data < 0 ? undefined : data + EVENT_DATA.length + EVENT_PART_BYTES;
}
