import { type Contestant, rotate, startContestants } from "../contest.ts";
import { Loads } from "../load/drive.ts";
import { generatorBusy, type Load } from "../load/load.ts";
import type { Side } from "../side.ts";
import { rust } from "../sides/native.ts";
import { BEFORE } from "../sides/versions.ts";
import { quotients, type Spread, spread } from "../spread.ts";
import type { Context } from "./experiment.ts";
import type { Scenario } from "./scenarios.ts";

/** The figures of one side in one run. */
interface Sample {
  readonly requestsPerSecond: number;
  /** CPU time of all processes of the side for each request, in microseconds. */
  readonly cpuPerRequest: number;
  /** Resident memory after the run, in MB. */
  readonly megabytes: number;
  /** The same for a database server beside it, if there is one. */
  readonly besideCpuPerRequest?: number;
  readonly besideMegabytes?: number;
  readonly generatorBusy: number;
}

export type CpuFigure = "cpuPerRequest" | "besideCpuPerRequest";

/** The samples of each side, one for each round, by the number of connections. */
export class Results {
  readonly absent: readonly string[];
  readonly #samples: ReadonlyMap<Contestant, ReadonlyMap<number, readonly Sample[]>>;

  constructor(absent: readonly string[], samples: ReadonlyMap<Contestant, ReadonlyMap<number, Sample[]>>) {
    this.absent = absent;
    this.#samples = samples;
  }

  /** Ours first. */
  get all(): readonly Contestant[] {
    return [...this.#samples.keys()];
  }

  /** The yardstick: another checkout, or the server in Rust; `undefined` when neither takes part. */
  get base(): Contestant | undefined {
    return this.all.find(({ side }) => side.name === BEFORE || side === rust);
  }

  figure(of: Contestant, connections: number, figure: keyof Sample): Spread {
    return spread(this.#values(of, connections, figure));
  }

  /** The ratio of a side's CPU time for a request to another's, or of their databases', round by round. */
  cpuRatio(of: Contestant, to: Contestant, connections: number, figure: CpuFigure = "cpuPerRequest"): Spread {
    const [own, other] = [of, to].map((each) => this.#values(each, connections, figure));
    return quotients(own as number[], other as number[]);
  }

  #values(of: Contestant, connections: number, figure: keyof Sample): number[] {
    return (this.#samples.get(of)?.get(connections) ?? []).map((sample) => sample[figure] as number);
  }
}

/**
 * Sends a load to the sides in turns. Each round measures every side once with each number of connections, and starts with
 * another side than the round before. With several rounds, extra ones of a second in all come first, to warm up.
 */
export async function takeTurns(
  scenario: Scenario,
  sides: readonly Side[],
  connections: readonly number[],
  context: Context,
): Promise<Results> {
  const { rounds, seconds, log } = context;
  await using stack = new AsyncDisposableStack();
  const { all, absent } = await startContestants({ ...scenario, sides }, context, stack);
  const samples = new Map(all.map((each) => [each, new Map(connections.map((n) => [n, [] as Sample[]]))]));
  const loads = stack.use(new Loads(seconds));
  const warmUps = rounds > 1 ? Math.ceil(1 / seconds) : 0;
  let runs = 0;
  for (let round = 0; round < warmUps + rounds; round++) {
    const place = round < warmUps ? "warming up" : `round ${round - warmUps + 1} of ${rounds}`;
    for (const count of connections) {
      for (const each of rotate([...samples.keys()], round)) {
        const { address } = each.running;
        const calls = () => scenario.calls(each.running, runs);
        const sample = await measure(each, () => loads.drive(address, calls, count)).catch((error) => {
          if (each.side.kind !== "peer") throw error;
          samples.delete(each);
          log(`${each.side.name} is left out: ${error}`);
          absent.push((error as Error).message);
        });
        if (!sample) continue;
        if (round >= warmUps) samples.get(each)?.get(count)?.push(sample);
        const { requestsPerSecond: rate, cpuPerRequest: cpu } = sample;
        log(
          `${scenario.name}, ${count} connections, ${place}: ${each.side.name} ${Math.round(rate)}/s, ${cpu.toFixed(1)} µs`,
        );
      }
      runs++;
    }
  }
  for (const each of samples.keys()) await each.checkStored();
  return new Results(absent, samples);
}

async function measure(each: Contestant, run: () => Promise<Load>): Promise<Sample> {
  const { beside } = each.running;
  const used = () => [each.running.cpuMicroseconds(), beside?.cpuMicroseconds() ?? 0] as const;
  const before = used();
  const load = await run();
  const after = used();
  const { requests, microseconds, created } = load;
  each.count(created);
  return {
    requestsPerSecond: requests / (microseconds / 1e6),
    cpuPerRequest: (after[0] - before[0]) / requests,
    megabytes: each.running.residentMegabytes(),
    ...(beside && {
      besideCpuPerRequest: (after[1] - before[1]) / requests,
      besideMegabytes: beside.residentMegabytes(),
    }),
    generatorBusy: generatorBusy(load),
  };
}
