import { availableParallelism } from "node:os";
import { join } from "node:path";
import { spawn } from "./child.ts";
import type { Call } from "./side.ts";

/** Requests that are under way at once. */
export const CONNECTIONS = 64;

/** What wrk saw of one run. */
export interface Load {
  readonly requests: number;
  readonly microseconds: number;
  readonly p99Microseconds: number;
}

interface Figures extends Load {
  /** Answers of 400 and above. */
  readonly refusals: number;
  readonly socketErrors: number;
}

/** Half the cores at most: the server needs the other half. */
const THREADS = Math.max(1, Math.floor(availableParallelism() / 2));

const SCRIPT = join(import.meta.dir, "load.lua");

/** What is to be said where wrk is missing; `undefined` where it is there. */
export function missingTool(): string | undefined {
  if (Bun.which("wrk")) return undefined;
  return "bench needs wrk, which is not on this machine's PATH. On Debian: apt-get install wrk";
}

/**
 * Sends a call again and again over all connections.
 *
 * @throws when any answer was a refusal, or any connection failed: such a run says nothing about speed
 */
export async function drive(address: string, call: Call, seconds: number): Promise<Load> {
  const headers = Object.entries(call.headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const options = ["-t", `${THREADS}`, "-c", `${CONNECTIONS}`, "-d", `${seconds}s`, "-s", SCRIPT, ...headers];
  const input = [call.method, ...(call.body === undefined ? [] : [call.body])];
  await using wrk = spawn(["wrk", ...options, address + call.path, "--", ...input]);
  const [said, exitCode] = await Promise.all([wrk.output(), wrk.exited]);
  const line = said.split("\n").findLast((line) => line.startsWith("{"));
  if (exitCode !== 0 || line === undefined) throw new Error(`wrk failed (exit code ${exitCode}): ${said}`);
  const { refusals, socketErrors, ...load } = JSON.parse(line) as Figures;
  if (refusals > 0 || socketErrors > 0 || load.requests === 0) {
    throw new Error(
      `${call.method} ${address}${call.path}: ${refusals} of ${load.requests} answers were refusals, ` +
        `${socketErrors} connections failed`,
    );
  }
  return load;
}
