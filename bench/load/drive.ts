import { join } from "node:path";
import { type Call, wireForm } from "../call.ts";
import { spawn } from "../child.ts";
import { CallsFolder } from "./calls-folder.ts";
import { ClosedModel, type ClosedResult } from "./closed-model.ts";
import type { Task } from "./generator.ts";
import type { Load } from "./load.ts";
import type { StreamResult } from "./open-model.ts";
import { driveWithWrk, hasWrk } from "./wrk.ts";

const RUNTIME = join(import.meta.dir, "../../bin/runtime");

/** The name of the generator that sends loads of this length on this machine. */
export function generatorName(seconds: number): string {
  if (seconds < 1) return "our own generator on Bun";
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
  return loadOf(address, result, cpuMicroseconds);
}

/** @throws when a response is an error */
function loadOf(address: string, result: ClosedResult, generatorCpuMicroseconds: number): Load {
  const { requests, microseconds, creates, refusals } = result;
  if (refusals > 0) throw new Error(`${address}: ${refusals} of ${requests} answers were refusals`);
  const created = { least: creates, most: creates };
  return { requests, microseconds, created, generatorCpuMicroseconds, generatorThreads: 1 };
}

/**
 * Sends calls in slices of a fraction of a second, as `drive` does. Two sides that take turns so fast are slowed alike by
 * whatever else the machine does. A process for each slice would take as long as the slice, so the calls come from this one;
 * the connections stay open, and the calls continue where the slice before has stopped.
 */
export class Slices implements Disposable {
  readonly #models = new Map<string, ClosedModel>();

  /** @param calls called for the first slice only */
  async drive(
    address: string,
    calls: () => readonly Call[],
    seconds: number,
    connections: number,
  ): Promise<Load> {
    const key = `${address} ${connections}`;
    let model = this.#models.get(key);
    if (!model) {
      const requests = calls().map((call) => wireForm(address, call));
      model = new ClosedModel(parse(address), requests, connections);
      this.#models.set(key, model);
      await model.connect();
    }
    const before = process.cpuUsage();
    const result = await model.run(seconds);
    const { user, system } = process.cpuUsage(before);
    return loadOf(address, result, user + system);
  }

  [Symbol.dispose](): void {
    for (const model of this.#models.values()) model[Symbol.dispose]();
  }
}

/** Sends loads of one length: as slices, if that is less than a second. */
export class Loads implements Disposable {
  readonly #seconds: number;
  readonly #slices = new Slices();

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** @param calls called for the first slice only, and for each load that is none */
  drive(address: string, calls: () => readonly Call[], connections: number): Promise<Load> {
    return this.#seconds < 1
      ? this.#slices.drive(address, calls, this.#seconds, connections)
      : drive(address, calls(), this.#seconds, connections);
  }

  [Symbol.dispose](): void {
    this.#slices[Symbol.dispose]();
  }
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
