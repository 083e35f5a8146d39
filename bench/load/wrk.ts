import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Call } from "../call.ts";
import { spawn } from "../child.ts";
import { CallsFolder } from "./calls-folder.ts";
import type { Load } from "./load.ts";

interface Figures {
  readonly requests: number;
  readonly microseconds: number;
  /** CPU time of wrk itself during the run. */
  readonly cpuMicroseconds: number;
  /** Creates sent; counted when the file holds more than one call. */
  readonly creates: number;
  /** Responses of 400 and above. */
  readonly refusals: number;
  readonly socketErrors: number;
}

/** A slow response is not a failure. */
const TIMEOUT = "60s";

/** Half the cores at most: the server needs the other half. */
const THREADS = Math.max(1, Math.floor(availableParallelism() / 2));

const SCRIPT = join(import.meta.dir, "wrk.lua");

export function hasWrk(): boolean {
  return Bun.which("wrk") !== null;
}

/** Runs one process of wrk, which sends the calls in a circle over all connections. */
export async function runWrk(
  address: string,
  calls: readonly Call[],
  { seconds, connections, threads }: { seconds: number; connections: number; threads: number },
): Promise<Figures> {
  using folder = new CallsFolder();
  const file = folder.write(address, calls);
  const options = ["-t", threads, "-c", connections, "-d", `${seconds}s`, "--timeout", TIMEOUT, "-s", SCRIPT];
  await using wrk = spawn(["wrk", ...options.map(String), address, "--", file, `${threads}`]);
  const { exitCode, stdout } = await wrk.ended();
  const line = stdout.split("\n").findLast((line) => line.startsWith("{"));
  if (exitCode !== 0 || line === undefined) throw new Error(`wrk failed (exit code ${exitCode}): ${stdout}`);
  return JSON.parse(line);
}

/** @throws when a response is an error or a connection fails: such a run says nothing about speed */
export async function driveWithWrk(
  address: string,
  calls: readonly Call[],
  seconds: number,
  connections: number,
): Promise<Load> {
  // wrk requires a connection for each of its threads.
  const threads = Math.min(THREADS, connections);
  const figures = await runWrk(address, calls, { seconds, connections, threads });
  const { requests, microseconds, creates, refusals, socketErrors } = figures;
  if (refusals > 0 || socketErrors > 0 || requests === 0) {
    throw new Error(
      `${address}: ${refusals} of ${requests} answers were refusals, ${socketErrors} connections failed`,
    );
  }
  // wrk exits without waiting for the last responses.
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
