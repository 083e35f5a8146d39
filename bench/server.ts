import { type Accounted, cpuMicroseconds, residentMegabytes } from "./accounting.ts";
import { type Child, spawn } from "./child.ts";

/** A running server. */
export interface Server extends Accounted, AsyncDisposable {
  readonly address: string;
}

interface ServerOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server that prints its address on standard output. */
export async function startServer(
  command: readonly string[],
  { folder, env = {} }: ServerOptions,
): Promise<Server> {
  const child = spawn(command, { cwd: folder, env });
  // The pattern needs a character after the port, since output may come in pieces.
  return whenReady(child, () => child.said(/http:\/\/127\.0\.0\.1:\d+(?=\D)/));
}

/** Starts a server on a given port, and waits until it answers there. */
export async function startServerOnPort(
  command: (port: number) => readonly string[],
  { folder, env = {} }: ServerOptions,
): Promise<Server> {
  const port = freePort();
  const child = spawn(command(port), { cwd: folder, env });
  return whenReady(child, async () => {
    const address = `http://127.0.0.1:${port}`;
    const ended = child.exited.then((code) => `ended with exit code ${code}`);
    for (const deadline = performance.now() + 30_000; ; ) {
      const answers = fetch(address).then(
        () => "ready",
        () => Bun.sleep(50),
      );
      const state = await Promise.race([answers, ended]);
      if (state === "ready") return address;
      if (state !== undefined || performance.now() > deadline) {
        throw new Error(`${command(port).join(" ")} ${state ?? "took too long to start"}`);
      }
    }
  });
}

async function whenReady(child: Child, findAddress: () => Promise<string>): Promise<Server> {
  try {
    const address = await findAddress();
    return { address, ...accounted(child.pid), [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

export function accounted(pid: number): Accounted {
  return { cpuMicroseconds: () => cpuMicroseconds(pid), residentMegabytes: () => residentMegabytes(pid) };
}
