import type { Call } from "../call.ts";
import { type Contest, type Contestant, rotate, startContestants } from "../contest.ts";
import { drive } from "../load/drive.ts";
import { generatorBusy } from "../load/load.ts";
import type { Aim, Column, Finding, Row, Section } from "../report/section.ts";
import type { RunningSide } from "../side.ts";
import { quotients, type Spread, spread } from "../spread.ts";
import type { Experiment } from "./experiment.ts";

/** A load, and the servers that take it. */
export interface Scenario extends Contest {
  readonly name: string;
  readonly title: string;
  /** What a run sends, in turn, from the first again after the last. @param run how many there were before */
  calls(side: RunningSide, run: number): readonly Call[];
  readonly aims: readonly ScenarioAim[];
}

/** What ours is to be in proportion to another side. */
export interface ScenarioAim {
  readonly to: string;
  readonly figure: keyof typeof FIGURES;
  readonly aim: Aim;
}

const FIGURES = {
  requestsPerSecond: { label: "requests/s", digits: 0 },
  cpuPerRequest: { label: "CPU µs/request", digits: 1 },
} as const;

const COLUMNS: readonly Column[] = [
  ...Object.entries(FIGURES).map(([key, column]) => ({ key, ...column })),
  { key: "megabytes", label: "resident MB", digits: 0 },
  { key: "requestsPerSecondRatio", label: "ours / it, requests/s", digits: 2 },
  { key: "cpuPerRequestRatio", label: "ours / it, CPU", digits: 2 },
];

/** What one side did in one run. */
interface Sample {
  readonly requestsPerSecond: number;
  /** CPU time of all processes of the side for each request, in microseconds. */
  readonly cpuPerRequest: number;
  readonly cpuBesidePerRequest: number | undefined;
  readonly generatorBusy: number;
}

/** Ours first. */
type Samples = ReadonlyMap<Contestant, readonly Sample[]>;

/** How busy a generator may be before it is taken to hold servers up. */
const GENERATOR_BUSY_MAX = 0.97;

/**
 * Lets the sides of a scenario take turns. Each round measures every side once; in the next another goes
 * first. Where there are several rounds, one more goes before them that only warms up.
 */
export function throughput(scenario: Scenario): Experiment {
  return {
    name: scenario.name,
    about: scenario.title,
    async run(context): Promise<Section> {
      const { seconds, rounds, tell } = context;
      await using stack = new AsyncDisposableStack();
      const { all, absent } = await startContestants(scenario, context, stack);
      const samples = new Map<Contestant, Sample[]>(all.map((each) => [each, []]));
      const warmUps = rounds > 1 ? 1 : 0;
      for (let round = 0; round < warmUps + rounds; round++) {
        for (const each of rotate([...samples.keys()], round)) {
          const sample = await run(scenario, each, round, seconds).catch((error) => {
            if (each.side.kind !== "peer") throw error;
            samples.delete(each);
            tell(`${each.side.name} is left out: ${error}`);
            absent.push((error as Error).message);
          });
          if (!sample) continue;
          if (round >= warmUps) samples.get(each)?.push(sample);
          const place = round < warmUps ? "warming up" : `round ${round - warmUps + 1} of ${rounds}`;
          tell(
            `${scenario.name}, ${place}: ${each.side.name} ${Math.round(sample.requestsPerSecond)} requests/s`,
          );
        }
      }
      for (const each of samples.keys()) await each.checkStored();
      return {
        name: scenario.name,
        title: scenario.title,
        notes: [...absent.map((reason) => `Left out: ${reason}`), ...heldUp(samples)],
        columns: COLUMNS,
        rows: [...samples.keys()].flatMap((each) => rows(each, samples)),
        findings: findings(scenario, samples),
      };
    },
  };
}

async function run(scenario: Scenario, each: Contestant, round: number, seconds: number): Promise<Sample> {
  const { address, beside } = each.running;
  const calls = scenario.calls(each.running, round);
  const used = () => [each.running.cpuMicroseconds(), beside?.cpuMicroseconds() ?? 0] as const;
  const before = used();
  const load = await drive(address, calls, seconds);
  const { requests, microseconds, created } = load;
  const after = used();
  each.count(created);
  return {
    requestsPerSecond: requests / (microseconds / 1e6),
    cpuPerRequest: (after[0] - before[0]) / requests,
    cpuBesidePerRequest: beside && (after[1] - before[1]) / requests,
    generatorBusy: generatorBusy(load),
  };
}

function rows(contestant: Contestant, samples: Samples): Row[] {
  const { side, running } = contestant;
  const { name, kind } = side;
  const of = (figure: keyof Sample) => spread(valuesOf(samples, contestant, figure));
  const own: Row = {
    name,
    kind,
    figures: {
      requestsPerSecond: of("requestsPerSecond"),
      cpuPerRequest: of("cpuPerRequest"),
      megabytes: spread([running.residentMegabytes()]),
      ...(kind !== "ours" && {
        requestsPerSecondRatio: oursTo(contestant, "requestsPerSecond", samples),
        cpuPerRequestRatio: oursTo(contestant, "cpuPerRequest", samples),
      }),
    },
  };
  const { beside } = running;
  if (!beside) return [own];
  const figures = {
    cpuPerRequest: of("cpuBesidePerRequest"),
    megabytes: spread([beside.residentMegabytes()]),
  };
  return [own, { name: `… its ${beside.name}`, kind, figures }];
}

function findings({ name, aims }: Scenario, samples: Samples): Finding[] {
  const ratios = aims.flatMap(({ to, figure, aim }) => {
    const other = [...samples.keys()].find(({ side }) => side.name === to);
    if (!other) return [];
    const what = `${name}: ours / ${to}, ${FIGURES[figure].label}`;
    return { what, value: oursTo(other, figure, samples), digits: 2, aim };
  });
  const [ours] = samples.keys() as Iterable<Contestant>;
  const memory: Finding = {
    what: `${name}: ours, resident MB under load`,
    value: spread([(ours as Contestant).running.residentMegabytes()]),
    digits: 0,
    aim: { atMost: 150 },
  };
  return [...ratios, memory];
}

/** Ours to another side, round by round: what slows the machine for a while slows both. */
function oursTo(other: Contestant, figure: keyof typeof FIGURES, samples: Samples): Spread {
  const [ours] = samples.keys();
  return quotients(valuesOf(samples, ours as Contestant, figure), valuesOf(samples, other, figure));
}

function valuesOf(samples: Samples, of: Contestant, figure: keyof Sample): number[] {
  return (samples.get(of) ?? []).map((sample) => sample[figure] as number);
}

function heldUp(samples: Samples): string[] {
  return [...samples]
    .map(([{ side }, runs]) => ({ side, busy: spread(runs.map((run) => run.generatorBusy)).median }))
    .filter(({ busy }) => busy > GENERATOR_BUSY_MAX)
    .map(
      ({ side, busy }) =>
        `The load generator was at work ${(busy * 100).toFixed(0)} % of the time against ${side.name}: ` +
        "it may have been the bottleneck.",
    );
}
