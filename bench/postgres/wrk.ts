import { join } from "node:path";
import type { Call } from "../call.ts";
import { spawn } from "../child.ts";
import { CallsFolder } from "../load/calls-folder.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { Driven, Side } from "./sample.ts";

const SCRIPT = join(import.meta.dir, "../load/wrk.lua");

const REFUSALS_MAX = 0.05;

/** Instances of the service, which share the connections: one wrk with one thread for each. */
export function service(
  name: string,
  addresses: readonly string[],
  calls: (run: number) => readonly Call[],
): Side {
  return {
    name,
    async drive(seconds, run) {
      const connections = CONNECTIONS / addresses.length;
      const all = await Promise.all(addresses.map((each) => drive(each, calls(run), connections, seconds)));
      return {
        operations: sum(all.map(({ operations }) => operations)),
        refusals: sum(all.map(({ refusals }) => refusals)),
        seconds: sum(all.map(({ seconds }) => seconds)) / all.length,
        generatorCpuMicroseconds: sum(all.map((each) => each.generatorCpuMicroseconds)),
      };
    },
  };
}

async function drive(
  address: string,
  calls: readonly Call[],
  connections: number,
  seconds: number,
): Promise<Driven> {
  using folder = new CallsFolder();
  const file = folder.write(address, calls);
  const options = ["-t", "1", "-c", `${connections}`, "-d", `${seconds}s`, "--timeout", "60s", "-s", SCRIPT];
  await using wrk = spawn(["wrk", ...options, address, "--", file, "1"]);
  const [said, exitCode] = await Promise.all([wrk.output(), wrk.exited]);
  const line = said.split("\n").findLast((line) => line.startsWith("{"));
  if (exitCode !== 0 || line === undefined) throw new Error(`wrk failed: ${said}`);
  const {
    requests = 0,
    microseconds = 0,
    refusals = 0,
    socketErrors = 0,
  } = JSON.parse(line) as Record<string, number>;
  // A run in which much was refused says nothing about speed.
  if (requests === 0 || socketErrors > 0 || refusals > REFUSALS_MAX * requests)
    throw new Error(`${address}: ${line}`);
  return {
    operations: requests - refusals,
    refusals,
    seconds: microseconds / 1e6,
    generatorCpuMicroseconds: wrk.cpuMicroseconds(),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
