import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Call } from "../call.ts";
import { spawn } from "../child.ts";
import { CallsFolder } from "./calls-folder.ts";
import type { Load } from "./load.ts";

export interface Figures {
  readonly requests: number;
  readonly microseconds: number;
  /** Of wrk itself, in the run. */
  readonly cpuMicroseconds: number;
  /** Sent, where there is more than one call. */
  readonly creates: number;
  /** Answers of 400 and above. */
  readonly refusals: number;
  readonly socketErrors: number;
}

/** A slow answer is slow, and no failure. */
const TIMEOUT = "60s";

/** Half the cores at most: the server needs the other half. */
const THREADS = Math.max(1, Math.floor(availableParallelism() / 2));

const SCRIPT = join(import.meta.dir, "wrk.lua");

export function hasWrk(): boolean {
  return Bun.which("wrk") !== null;
}

/** One process of wrk, which sends calls in turn over all connections, from the first again after the last. */
export async function runWrk(
  address: string,
  calls: readonly Call[],
  { seconds, connections, threads }: { seconds: number; connections: number; threads: number },
): Promise<Figures> {
  using folder = new CallsFolder();
  const file = folder.write(address, calls);
  const options = ["-t", threads, "-c", connections, "-d", `${seconds}s`, "--timeout", TIMEOUT, "-s", SCRIPT];
  await using wrk = spawn(["wrk", ...options.map(String), address, "--", file, `${threads}`]);
  const [said, exitCode] = await Promise.all([wrk.output(), wrk.exited]);
  const line = said.split("\n").findLast((line) => line.startsWith("{"));
  if (exitCode !== 0 || line === undefined) throw new Error(`wrk failed (exit code ${exitCode}): ${said}`);
  return JSON.parse(line);
}

/** @throws when any response was a refusal, or any connection failed: such a run says nothing about speed */
export async function driveWithWrk(
  address: string,
  calls: readonly Call[],
  seconds: number,
  connections: number,
): Promise<Load> {
  // wrk wants a connection for each of its threads.
  const threads = Math.min(THREADS, connections);
  const figures = await runWrk(address, calls, { seconds, connections, threads });
  const { requests, microseconds, creates, refusals, socketErrors } = figures;
  if (refusals > 0 || socketErrors > 0 || requests === 0) {
    throw new Error(
      `${address}: ${refusals} of ${requests} answers were refusals, ${socketErrors} connections failed`,
    );
  }
  // wrk leaves without waiting for the last answers.
  const single = calls.length === 1;
  const least = single ? requests : Math.max(0, creates - connections);
  const most = single ? requests + connections : creates;
  const posts = calls.some(({ method }) => method === "POST");
  return {
    requests,
    microseconds,
    created: posts ? { least, most } : { least: 0, most: 0 },
    generatorCpuMicroseconds: figures.cpuMicroseconds,
    generatorThreads: threads,
  };
}
