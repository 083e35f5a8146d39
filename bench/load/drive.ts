import { join } from "node:path";
import type { Call } from "../call.ts";
import { spawn } from "../child.ts";
import { CallsFolder } from "./calls-folder.ts";
import type { ClosedResult } from "./closed-model.ts";
import type { Task } from "./generator.ts";
import type { Load } from "./load.ts";
import type { StreamResult } from "./open-model.ts";
import { driveWithWrk, hasWrk } from "./wrk.ts";

const RUNTIME = join(import.meta.dir, "../../bin/runtime");

/** The name of the generator that `drive` uses on this machine. */
export function generatorName(): string {
  return hasWrk() ? "wrk" : "our own generator on Bun (wrk is not on the PATH)";
}

/**
 * Sends calls over all connections; each connection sends its next call when the last is answered.
 *
 * @throws when a response is an error or a connection fails: such a run says nothing about speed
 */
export async function drive(
  address: string,
  calls: readonly Call[],
  seconds: number,
  connections: number,
): Promise<Load> {
  const driver = hasWrk() ? driveWithWrk : driveWithOurs;
  return driver(address, calls, seconds, connections);
}

async function driveWithOurs(
  address: string,
  calls: readonly Call[],
  seconds: number,
  connections: number,
): Promise<Load> {
  using folder = new CallsFolder();
  const file = folder.write(address, calls);
  const task: Task = { model: "closed", address: parse(address), seconds, file, connections };
  const { result, cpuMicroseconds } = await runGenerator<ClosedResult>(task);
  const { requests, microseconds, creates, refusals } = result;
  if (refusals > 0) throw new Error(`${address}: ${refusals} of ${requests} answers were refusals`);
  return {
    requests,
    microseconds,
    created: { least: creates, most: creates },
    generatorCpuMicroseconds: cpuMicroseconds,
    generatorThreads: 1,
  };
}

interface CallStream {
  readonly name: string;
  readonly calls: readonly Call[];
  readonly rate: number;
  readonly connections: number;
}

/** Sends each stream's calls at its rate in an open model (`open-model.ts`), and measures their latency. */
export async function driveAtRate(
  address: string,
  streams: readonly CallStream[],
  seconds: number,
): Promise<StreamResult[]> {
  using folder = new CallsFolder();
  const written = streams.map(({ calls, ...stream }) => ({ ...stream, file: folder.write(address, calls) }));
  const task: Task = { model: "open", address: parse(address), seconds, streams: written };
  return (await runGenerator<StreamResult[]>(task)).result;
}

async function runGenerator<Result>(task: Task): Promise<{ result: Result; cpuMicroseconds: number }> {
  await using generator = spawn([RUNTIME, join(import.meta.dir, "generator.ts"), JSON.stringify(task)]);
  const { exitCode, stdout } = await generator.ended();
  if (exitCode !== 0) throw new Error(`the load generator failed (exit code ${exitCode}): ${stdout}`);
  return { result: JSON.parse(stdout) as Result, cpuMicroseconds: generator.cpuMicroseconds };
}

function parse(address: string): { hostname: string; port: number } {
  const { hostname, port } = new URL(address);
  return { hostname, port: Number(port) };
}
