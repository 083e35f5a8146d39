import { createCall, listCall, mixedCalls } from "../calls.ts";
import { type Contestant, rotate, startContestants } from "../contest.ts";
import { drive, driveAtRate } from "../load/drive.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { StreamResult } from "../load/open-model.ts";
import type { Column, Finding, Row, Section } from "../report/section.ts";
import type { RunningSide, Side } from "../side.ts";
import { OURS } from "../sides/animal-store.ts";
import { animalStorePostgres } from "../sides/animal-store-postgres.ts";
import { peersOnSql } from "../sides/peers-on-sql.ts";
import { spread } from "../spread.ts";
import type { Context, Experiment } from "./experiment.ts";

const ANIMALS = 1000;
const SIDES: readonly [Side, ...Side[]] = [OURS, animalStorePostgres, ...peersOnSql];

export const LATENCY_COLUMNS: readonly Column[] = [
  { key: "rate", label: "requests/s", digits: 0 },
  { key: "listP50", label: "lists: p50 ms", digits: 2 },
  { key: "listP99", label: "p99 ms", digits: 2 },
  { key: "listP999", label: "p99.9 ms", digits: 2 },
  { key: "createP50", label: "creates: p50 ms", digits: 2 },
  { key: "createP99", label: "p99 ms", digits: 2 },
  { key: "createP999", label: "p99.9 ms", digits: 2 },
];

/** What was seen of one side in one run. */
export interface LatencySample {
  readonly rate: number;
  readonly list: StreamResult;
  readonly create: StreamResult;
}

/** How late the generator may be in a thousandth of cases before the figures are its own as much as the server's. */
const LATENESS_MAX_MS = 1;

/** Each side at half of the most that it reaches: a service that is in use, and has room. */
export const latency: Experiment = {
  name: "latency",
  about: "how long answers take at half of each side's own highest rate, 90 lists to 10 creates",
  run: (context) =>
    compareLatency(context, {
      name: "latency",
      title: "How long answers take at half of the highest rate: 90 lists to 10 creates, in an open model",
      rates: (highest) => new Map([...highest].map(([each, rate]) => [each, rate / 2])),
      findings: (ours) =>
        (["list", "create"] as const).map((kind) => ({
          what: `latency: ours, ${kind}s at half of the highest rate, p99.9 ms`,
          value: spread(ours.map((sample) => sample[kind].latency.p999)),
          digits: 2,
          aim: { atMost: 10 },
        })),
    }),
};

/** All sides at a rate that the slowest bears. */
export const sameRate: Experiment = {
  name: "same-rate",
  about: "how long answers take at one rate for all, 90 lists to 10 creates",
  run: (context) =>
    compareLatency(context, {
      name: "same-rate",
      title:
        "How long answers take at one rate for all, half of what the slowest reaches: 90 lists to 10 creates, in an open model",
      rates: (highest) => {
        const rate = Math.min(...highest.values()) / 2;
        return new Map([...highest.keys()].map((each) => [each, rate]));
      },
      findings: () => [],
    }),
};

interface Comparison {
  readonly name: string;
  readonly title: string;
  /** What is asked of ours. */
  findings(ours: readonly LatencySample[]): Finding[];
  rates(highest: ReadonlyMap<Contestant, number>): ReadonlyMap<Contestant, number>;
}

async function compareLatency(
  context: Context,
  { name, title, rates, findings }: Comparison,
): Promise<Section> {
  const { tell } = context;
  await using stack = new AsyncDisposableStack();
  const kinds = (side: RunningSide) => [listCall(side), createCall(side)];
  const { all, absent } = await startContestants({ sides: SIDES, animals: ANIMALS, kinds }, context, stack);
  const highest = new Map<Contestant, number>();
  for (const each of all) {
    highest.set(each, await highestRate(each.running, context));
    tell(`${name}: ${each.side.name} reaches ${Math.round(highest.get(each) as number)} requests/s`);
  }
  const samples = new Map<Contestant, LatencySample[]>(all.map((each) => [each, []]));
  const length = latencyLength(context);
  for (let round = 0; round < length.rounds; round++) {
    for (const [each, rate] of rotate([...rates(highest)], round)) {
      const sample = await measureLatency(each.running, rate, length.seconds);
      samples.get(each)?.push(sample);
      const p999 = sample.list.latency.p999.toFixed(2);
      tell(
        `${name}, round ${round + 1} of ${length.rounds}: ${each.side.name} lists within ${p999} ms (p99.9)`,
      );
    }
  }
  const [[, ours = []] = []] = samples;
  return {
    name,
    title,
    notes: [
      ...absent.map((reason) => `Left out: ${reason}`),
      ...[...samples].flatMap(([{ side }, runs]) => latencyNotes(side.name, runs)),
    ],
    columns: LATENCY_COLUMNS,
    rows: [...samples].map(([{ side }, runs]) => latencyRow(side, runs)),
    findings: findings(ours),
  };
}

/** The most that a side reaches of the mix, in requests a second; but for a single round, it is warm then, too. */
export async function highestRate(side: RunningSide, { seconds, rounds }: Context): Promise<number> {
  const calls = mixedCalls(side);
  if (rounds > 1) await drive(side.address, calls, seconds);
  const { requests, microseconds } = await drive(side.address, calls, seconds);
  return requests / (microseconds / 1e6);
}

/** Longer and fewer runs than elsewhere: what is rare must have its chance in each. */
export function latencyLength({ seconds, rounds }: Pick<Context, "seconds" | "rounds">) {
  return rounds > 1 ? { seconds: seconds * 3, rounds: Math.ceil(rounds / 2) } : { seconds, rounds };
}

/** Connections for creates where each takes some 40 ms: at a rate that a list bears, many are under way. */
const PATIENT_CONNECTIONS = 4 * CONNECTIONS;

export async function measureLatency(
  side: RunningSide,
  rate: number,
  seconds: number,
): Promise<LatencySample> {
  const streams = [
    { name: "list", calls: [listCall(side)], rate: rate * 0.9, connections: CONNECTIONS },
    { name: "create", calls: [createCall(side)], rate: rate * 0.1, connections: PATIENT_CONNECTIONS },
  ];
  const [list, create] = await driveAtRate(side.address, streams, seconds);
  return { rate, list: list as StreamResult, create: create as StreamResult };
}

export function latencyRow({ name, kind }: Side, samples: readonly LatencySample[]): Row {
  const of = (value: (sample: LatencySample) => number) => spread(samples.map(value));
  return {
    name,
    kind,
    figures: {
      rate: of(({ rate }) => rate),
      listP50: of(({ list }) => list.latency.p50),
      listP99: of(({ list }) => list.latency.p99),
      listP999: of(({ list }) => list.latency.p999),
      createP50: of(({ create }) => create.latency.p50),
      createP99: of(({ create }) => create.latency.p99),
      createP999: of(({ create }) => create.latency.p999),
    },
  };
}

/** What a reader of latencies must know beside them. */
export function latencyNotes(name: string, samples: readonly LatencySample[]): string[] {
  const streams = samples.flatMap(({ list, create }) => [list, create]);
  const failed = streams.reduce((total, { refusals, unanswered }) => total + refusals + unanswered, 0);
  const lateness = spread(streams.map(({ lateness }) => lateness.p999));
  const notes: string[] = [];
  if (failed > 0) notes.push(`${name}: ${failed} requests were refused or not answered.`);
  if (lateness.median > LATENESS_MAX_MS) {
    notes.push(
      `${name}: the load generator was itself up to ${lateness.median.toFixed(1)} ms late (p99.9); so much of the latency is its own.`,
    );
  }
  return notes;
}
