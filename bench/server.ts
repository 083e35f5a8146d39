import { freePort } from "../test/support/free-port.ts";
import type { Child } from "../verify/child.ts";
import { type Accounted, cpuMicroseconds, residentMegabytes } from "./accounting.ts";
import { addressPrintedBy, spawn } from "./child.ts";

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
  return whenReady(child, () => addressPrintedBy(child));
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

export function accounted(pid: number): Accounted {
  return { cpuMicroseconds: () => cpuMicroseconds(pid), residentMegabytes: () => residentMegabytes(pid) };
}
