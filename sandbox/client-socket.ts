import { dlopen, ptr } from "bun:ffi";
import { readdirSync } from "node:fs";
import { isIPv6 } from "node:net";
import { libcName } from "../src/system/libc.ts";

/** The end of a connection: the result of `Connections.requestIP`. */
interface Client {
  readonly address: string;
  readonly port: number;
}

/** Of `sys/socket.h`. */
const SHUT_RD = 0;
const SHUT_RDWR = 2;
const [SOL_SOCKET, SO_LINGER] = process.platform === "darwin" ? [0xffff, 0x80] : [1, 13];
/** A `struct linger`: closing sends a reset instead of what is left. */
const NO_LINGER = Int32Array.of(1, 0);

/** A `struct sockaddr` of IPv4 has 16 bytes. The port follows the family, in the network's order. */
const IPV4_BYTES = 16;
const NAME_MAX_BYTES = 128;
const PORT_AT = 2;
const IPV4_AT = 4;
const IPV6_AT = 8;

/** How long the kernel gets to send what it has, before it is offered the rest. */
const RETRY_MS = 5;

/** The folder of the open descriptors. */
const DESCRIPTORS = process.platform === "darwin" ? "/dev/fd" : "/proc/self/fd";

/** The calls of the system that a `ClientSocket` needs. */
export type SystemCalls = ReturnType<typeof loadSystemCalls>;

/**
 * @param library of C; left out: the system's own
 * @throws the runtime's error if there is no such library, it lacks a call, or the open descriptors cannot be listed
 */
export function loadSystemCalls(library = libcName()) {
  readdirSync(DESCRIPTORS);
  return dlopen(library, {
    getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    send: { args: ["i32", "ptr", "usize", "i32"], returns: "i64" },
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
    shutdown: { args: ["i32", "i32"], returns: "i32" },
  }).symbols;
}

/**
 * The service's end of a client's connection. The runtime's HTTP server can neither break a connection nor end it within a
 * response, so this asks the kernel. The runtime then closes the connection as if its client had gone.
 */
export class ClientSocket {
  readonly #client: Client;
  readonly #servicePort: number;
  readonly #calls: SystemCalls;

  constructor(client: Client, servicePort: number, calls: SystemCalls) {
    this.#calls = calls;
    this.#client = client;
    this.#servicePort = servicePort;
  }

  /** Sends bytes as they are; whether the client was there to take them. */
  async send(bytes: Uint8Array): Promise<boolean> {
    for (let sent = 0; sent < bytes.length; ) {
      const descriptor = this.#descriptor();
      if (descriptor === undefined) return false;
      const rest = bytes.subarray(sent);
      const count = Number(this.#calls.send(descriptor, ptr(rest), rest.length, 0));
      if (count > 0) sent += count;
      else await Bun.sleep(RETRY_MS);
    }
    return true;
  }

  /** Closes the connection once what was sent has left. What the runtime would send from now on is lost. */
  close(): void {
    const descriptor = this.#descriptor();
    if (descriptor !== undefined) this.#calls.shutdown(descriptor, SHUT_RDWR);
  }

  /** Closes the connection with a TCP reset, unless the runtime sends a response first. */
  reset(): void {
    const descriptor = this.#descriptor();
    if (descriptor === undefined) return;
    const { setsockopt, shutdown } = this.#calls;
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, ptr(NO_LINGER), NO_LINGER.byteLength);
    // The runtime reads the end of the connection, and closes it.
    shutdown(descriptor, SHUT_RD);
  }

  /** Looked up for each use: once the client has gone, another connection may have its descriptor. */
  #descriptor(): number | undefined {
    const { getpeername, getsockname } = this.#calls;
    const { address, port } = this.#client;
    return readdirSync(DESCRIPTORS)
      .map(Number)
      .find((descriptor) => {
        const client = nameOf(getpeername, descriptor);
        return (
          client?.port === port &&
          client.address === canonical(address) &&
          nameOf(getsockname, descriptor)?.port === this.#servicePort
        );
      });
  }
}

/** The name of one end of a connection; `undefined` if the descriptor is none of a connection. */
function nameOf(ask: SystemCalls["getpeername"], descriptor: number): Client | undefined {
  const name = Buffer.alloc(NAME_MAX_BYTES);
  const length = Uint32Array.of(NAME_MAX_BYTES);
  if (ask(descriptor, ptr(name), ptr(length)) !== 0) return undefined;
  const port = name.readUInt16BE(PORT_AT);
  if (length[0] === IPV4_BYTES) return { address: name.subarray(IPV4_AT, IPV4_AT + 4).join("."), port };
  const groups = Array.from({ length: 8 }, (_, at) => name.readUInt16BE(IPV6_AT + 2 * at).toString(16));
  return { address: canonical(groups.join(":")), port };
}

/** An IPv6 address has many spellings. */
function canonical(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname : address;
}
