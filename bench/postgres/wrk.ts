import type { Call } from "../call.ts";
import { CONNECTIONS } from "../load/load.ts";
import { runWrk } from "../load/wrk.ts";
import type { Driven, Side } from "./sample.ts";

const REFUSALS_MAX = 0.05;

/** Instances of the service, which share the connections; each has a wrk with one thread. */
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
  const figures = await runWrk(address, calls, { seconds, connections, threads: 1 });
  const { requests, microseconds, refusals, socketErrors, cpuMicroseconds } = figures;
  // A run with many refusals says nothing about speed.
  if (requests === 0 || socketErrors > 0 || refusals > REFUSALS_MAX * requests) {
    throw new Error(`${address}: ${JSON.stringify(figures)}`);
  }
  return {
    operations: requests - refusals,
    refusals,
    seconds: microseconds / 1e6,
    generatorCpuMicroseconds: cpuMicroseconds,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
