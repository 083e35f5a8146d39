import type { Socket } from "bun";
import { addressPrintedBy, spawn } from "../child.ts";

/**
 * Starts a TCP proxy, in a process of its own, that adds a round-trip time as a network does. Over loopback a server
 * also pays for waking the client on the same machine, so a change may save more or less there than elsewhere.
 *
 * @param milliseconds the round-trip time; each direction takes half of it
 */
export async function startDelayProxy(address: string, milliseconds: number) {
  const { port } = new URL(address);
  const proxy = spawn([process.execPath, import.meta.path, port, `${milliseconds}`]);
  return { address: await addressPrintedBy(proxy), process: proxy };
}

interface Delayed {
  readonly due: number;
  readonly bytes: Buffer;
}

/** One direction of a connection: forwards each chunk once it is due, as fast as the target takes it. */
class Direction {
  readonly #milliseconds: number;
  readonly #waiting: Delayed[] = [];
  #target: Socket<Ends> | undefined;
  #timer: Timer | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Begins to forward; chunks that came before have waited. */
  open(target: Socket<Ends>): void {
    this.#target = target;
    this.flush();
  }

  take(chunk: Buffer): void {
    this.#waiting.push({ due: performance.now() + this.#milliseconds, bytes: Buffer.from(chunk) });
    this.flush();
  }

  flush(): void {
    for (let next = this.#waiting[0]; next && this.#target; next = this.#waiting[0]) {
      const wait = next.due - performance.now();
      if (wait > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.flush();
        }, wait);
        return;
      }
      const written = this.#target.write(next.bytes);
      if (written < next.bytes.length) {
        // The rest goes when the target drains.
        this.#waiting[0] = { due: 0, bytes: next.bytes.subarray(Math.max(0, written)) };
        return;
      }
      this.#waiting.shift();
    }
  }
}

/** The two directions of a connection, seen from one socket: `out` takes what it reads, `back` writes to it. */
interface Ends {
  readonly out: Direction;
  readonly back: Direction;
  other: Socket<Ends> | undefined;
}

function serve(port: number, milliseconds: number): void {
  const handlers = {
    data: ({ data }: Socket<Ends>, chunk: Buffer) => data.out.take(chunk),
    drain: ({ data }: Socket<Ends>) => data.back.flush(),
    close: ({ data }: Socket<Ends>) => data.other?.terminate(),
    error: ({ data }: Socket<Ends>) => data.other?.terminate(),
  };
  const listener = Bun.listen<Ends>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      ...handlers,
      open(client) {
        client.setNoDelay(true);
        const [out, back] = [new Direction(milliseconds), new Direction(milliseconds)];
        client.data = { out, back, other: undefined };
        back.open(client);
        Bun.connect<Ends>({
          hostname: "127.0.0.1",
          port,
          data: { out: back, back: out, other: client },
          socket: {
            ...handlers,
            open(server) {
              server.setNoDelay(true);
              client.data.other = server;
              out.open(server);
            },
          },
        }).catch(() => client.terminate());
      },
    },
  });
  console.log(`http://127.0.0.1:${listener.port} `);
}

if (import.meta.main) {
  const [port, milliseconds] = process.argv.slice(2).map(Number);
  serve(port as number, (milliseconds as number) / 2);
}
