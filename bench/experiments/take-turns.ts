import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Contestant, rotate, startContestants } from "../contest.ts";
import { Loads } from "../load/drive.ts";
import { generatorBusy, type Load } from "../load/load.ts";
import type { Side } from "../side.ts";
import { rust } from "../sides/native.ts";
import { BEFORE } from "../sides/versions.ts";
import { medianInterval, quotients, type Spread, spread } from "../spread.ts";
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

/** The samples of a side from one start of it, one for each round, by the number of connections. */
type StartSamples = Map<number, Sample[]>;

/** What each side that took part has shown. */
export class Results {
  /** The names of the sides that were left out, and why. */
  readonly absent: string[] = [];
  readonly #starts = new Map<Side, StartSamples[]>();
  readonly #besides = new Map<Side, string>();

  /** Returns where the samples of a start go. */
  start({ side, running }: Contestant): StartSamples {
    const start: StartSamples = new Map();
    this.#starts.set(side, [...(this.#starts.get(side) ?? []), start]);
    if (running.beside) this.#besides.set(side, running.beside.name);
    return start;
  }

  leaveOut(side: Side, reason: string): void {
    this.#starts.delete(side);
    this.absent.push(reason);
  }

  /** Ours first. */
  get all(): readonly Side[] {
    return [...this.#starts.keys()];
  }

  /** The yardstick: another checkout, or the server in Rust; `undefined` when neither takes part. */
  get base(): Side | undefined {
    return this.all.find((side) => side.name === BEFORE || side === rust);
  }

  /** The name of what a side has beside it. */
  besideOf(side: Side): string | undefined {
    return this.#besides.get(side);
  }

  figure(of: Side, connections: number, figure: keyof Sample): Spread {
    return spread(this.#values(of, connections, figure).flat());
  }

  /**
   * The ratio of a side's CPU time for a request to another's, or of their databases', round by round. After several starts it is
   * made of the median of each: what differs from start to start is much more than what differs from round to round.
   */
  cpuRatio(of: Side, to: Side, connections: number, figure: CpuFigure = "cpuPerRequest"): Spread {
    const [own, other] = [of, to].map((each) => this.#values(each, connections, figure));
    const ratios = (own ?? []).map((values, start) => quotients(values, other?.[start] ?? []));
    const [only] = ratios;
    return only && ratios.length === 1 ? only : medianInterval(ratios.map(({ median }) => median));
  }

  /** The values of each start. */
  #values(of: Side, connections: number, figure: keyof Sample): number[][] {
    const starts = this.#starts.get(of) ?? [];
    return starts.map((start) => (start.get(connections) ?? []).map((sample) => sample[figure] as number));
  }
}

/** How often two versions are started, each time in the other order. */
const STARTS = 16;

/**
 * Sends a load to the sides in turns. Two versions are started several times, each for a part of the rounds: of two that are the
 * same, on a PostgreSQL with standbys, one took up to 14 % more CPU than the other until both ended.
 */
export async function takeTurns(
  scenario: Scenario,
  sides: readonly Side[],
  connections: readonly number[],
  context: Context,
): Promise<Results> {
  const { versions, rounds, folder } = context;
  const results = new Results();
  if (!versions) {
    await startAndTakeTurns(scenario, sides, connections, context, results);
    return results;
  }
  // A start with one round would not warm up.
  const starts = Math.max(1, Math.min(STARTS, Math.floor(rounds / 2)));
  for (let start = 0; start < starts; start++) {
    const own = join(folder, `start-${start}`);
    mkdirSync(own);
    const part = Math.floor((rounds + start) / starts);
    const inOrder = { ...context, folder: own, rounds: part, versions: rotate(versions, start) };
    await startAndTakeTurns(scenario, sides, connections, inOrder, results);
  }
  return results;
}

/**
 * Starts the sides and sends a load to them in turns. Each round measures every side once with each number of connections, and
 * starts with another side than the round before. With several rounds, extra ones of a second in all come first, to warm up.
 */
async function startAndTakeTurns(
  scenario: Scenario,
  sides: readonly Side[],
  connections: readonly number[],
  context: Context,
  results: Results,
): Promise<void> {
  const { rounds, seconds, log } = context;
  await using stack = new AsyncDisposableStack();
  const { all, absent } = await startContestants({ ...scenario, sides }, context, stack);
  results.absent.push(...absent);
  const present = new Map(all.map((each) => [each, results.start(each)]));
  const loads = stack.use(new Loads(seconds));
  const warmUps = rounds > 1 ? Math.ceil(1 / seconds) : 0;
  let runs = 0;
  for (let round = 0; round < warmUps + rounds; round++) {
    const place = round < warmUps ? "warming up" : `round ${round - warmUps + 1} of ${rounds}`;
    for (const count of connections) {
      for (const [each, samples] of rotate([...present], round)) {
        const { address } = each.running;
        const calls = () => scenario.calls(each.running, runs);
        const sample = await measure(each, () => loads.drive(address, calls, count)).catch((error) => {
          if (each.side.kind !== "peer") throw error;
          present.delete(each);
          log(`${each.side.name} is left out: ${error}`);
          results.leaveOut(each.side, (error as Error).message);
        });
        if (!sample) continue;
        if (round >= warmUps) samples.set(count, [...(samples.get(count) ?? []), sample]);
        const { requestsPerSecond: rate, cpuPerRequest: cpu } = sample;
        log(
          `${scenario.name}, ${count} connections, ${place}: ${each.side.name} ${Math.round(rate)}/s, ${cpu.toFixed(1)} µs`,
        );
      }
      runs++;
    }
  }
  for (const each of present.keys()) await each.checkStored();
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
