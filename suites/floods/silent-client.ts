import { dlopen, FFIType, ptr } from "bun:ffi";
import { libcName } from "../../src/system/libc.ts";

const { int, ptr: pointer, u64, i64 } = FFIType;

/**
 * The system's own sockets, since the runtime's read by themselves and have no option for the size of segments. It is
 * what makes a loopback connection like one over a network, on which the kernel buffers some 80 KB and not megabytes.
 */
function libc() {
  return dlopen(libcName(), {
    socket: { args: [int, int, int], returns: int },
    setsockopt: { args: [int, int, int, pointer, int], returns: int },
    connect: { args: [int, pointer, int], returns: int },
    send: { args: [int, pointer, u64, int], returns: i64 },
    recv: { args: [int, pointer, u64, int], returns: i64 },
    close: { args: [int], returns: int },
  }).symbols;
}

const AF_INET = 2;
const SOCK_STREAM = 1;
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const IPPROTO_TCP = 6;
const TCP_MAXSEG = 2;
const MSG_DONTWAIT = 0x40;
const MSG_PEEK = 2;

/** A client on Linux that reads nothing until the test lets it, and buffers next to nothing. */
export class SilentClient implements Disposable {
  readonly #libc = libc();
  readonly #socket: number;

  constructor(address: string) {
    const { hostname, port } = new URL(address);
    this.#socket = this.#libc.socket(AF_INET, SOCK_STREAM, 0);
    this.#option(SOL_SOCKET, SO_RCVBUF, 4096);
    this.#option(IPPROTO_TCP, TCP_MAXSEG, 536);
    const name = Buffer.alloc(16);
    name.writeUInt16LE(AF_INET, 0);
    name.writeUInt16BE(Number(port), 2);
    name.set(hostname.split(".").map(Number), 4);
    if (this.#libc.connect(this.#socket, ptr(name), name.length) !== 0)
      throw new Error(`cannot reach ${address}`);
  }

  /** Sends what fits into the kernel's buffers. */
  send(text: string): void {
    const bytes = Buffer.from(text);
    this.#libc.send(this.#socket, ptr(bytes), bytes.length, MSG_DONTWAIT);
  }

  /** What has arrived of the first kilobyte, which stays unread. */
  peek(): string {
    const bytes = Buffer.alloc(1024);
    const count = Number(this.#libc.recv(this.#socket, ptr(bytes), bytes.length, MSG_DONTWAIT | MSG_PEEK));
    return bytes.toString("latin1", 0, Math.max(0, count));
  }

  [Symbol.dispose](): void {
    this.#libc.close(this.#socket);
  }

  #option(level: number, name: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    this.#libc.setsockopt(this.#socket, level, name, ptr(bytes), bytes.length);
  }
}
