import { createCall, listCall, mixedCalls } from "../calls.ts";
import { type Contestant, rotate, startContestants } from "../contest.ts";
import { drive, driveAtRate } from "../load/drive.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { StreamResult } from "../load/open-model.ts";
import type { Column, Row, Section } from "../report/section.ts";
import type { RunningSide, Side } from "../side.ts";
import { peersOnSql } from "../sides/peers-on-sql.ts";
import { spread } from "../spread.ts";
import type { Context, Experiment } from "./experiment.ts";
import { NEAREST } from "./scenarios.ts";

const ANIMALS = 1000;
const SIDES: readonly Side[] = [...NEAREST, ...peersOnSql];

const COLUMNS: readonly Column[] = [
  { key: "rate", label: "requests/s", digits: 0 },
  { key: "listP50", label: "lists: p50 ms", digits: 2 },
  { key: "listP99", label: "p99 ms", digits: 2 },
  { key: "listP999", label: "p99.9 ms", digits: 2 },
  { key: "createP50", label: "creates: p50 ms", digits: 2 },
  { key: "createP99", label: "p99 ms", digits: 2 },
  { key: "createP999", label: "p99.9 ms", digits: 2 },
];

/** The latencies of one side in one run. */
interface LatencySample {
  readonly rate: number;
  readonly list: StreamResult;
  readonly create: StreamResult;
}

/** When the generator itself is later than this (p99.9), the report says so. */
const LATENESS_MAX_MS = 1;

/**
 * Measures latency at half of the highest rate that each side reaches: in use, with room to spare. Two versions of ours
 * get the same rate, half of what the earlier one reaches.
 */
export const latency: Experiment = {
  name: "latency",
  about: "how long responses take at half of the highest rate, 90 lists to 10 creates",
  async run(context): Promise<Section> {
    const { log, versions } = context;
    await using stack = new AsyncDisposableStack();
    const kinds = (side: RunningSide) => [listCall(side), createCall(side)];
    const contest = { sides: SIDES, animals: ANIMALS, kinds };
    const { all, absent } = await startContestants(contest, context, stack);
    const rates = new Map<Contestant, number>();
    for (const each of all) {
      const highest = await highestRate(each.running, context);
      rates.set(each, highest / 2);
      log(`latency: ${each.side.name} reaches ${Math.round(highest)} requests/s`);
    }
    const [ours, before] = all as [Contestant, Contestant];
    if (versions) rates.set(ours, rates.get(before) as number);
    const samples = new Map<Contestant, LatencySample[]>(all.map((each) => [each, []]));
    const length = latencyLength(context);
    for (let round = 0; round < length.rounds; round++) {
      for (const [each, rate] of rotate([...rates], round)) {
        const sample = await measureLatency(each.running, rate, length.seconds);
        samples.get(each)?.push(sample);
        const p999 = sample.list.latency.p999.toFixed(2);
        const place = `round ${round + 1} of ${length.rounds}`;
        log(`latency, ${place}: ${each.side.name} lists within ${p999} ms (p99.9)`);
      }
    }
    return {
      name: "latency",
      title: "How long responses take at half of the highest rate: 90 lists to 10 creates, in an open model",
      notes: [
        ...absent.map((reason) => `Left out: ${reason}`),
        ...[...samples].flatMap(([{ side }, runs]) => latencyNotes(side.name, runs)),
      ],
      columns: COLUMNS,
      rows: [...samples].map(([{ side }, runs]) => latencyRow(side, runs)),
      findings: [],
    };
  },
};

/** The highest rate of the mix that a side reaches, in requests a second; with several rounds, after a warm-up. */
async function highestRate(side: RunningSide, { seconds, rounds }: Context): Promise<number> {
  const calls = mixedCalls(side);
  if (rounds > 1) await drive(side.address, calls, seconds, CONNECTIONS);
  const { requests, microseconds } = await drive(side.address, calls, seconds, CONNECTIONS);
  return requests / (microseconds / 1e6);
}

/** Runs are fewer and longer than elsewhere, so that each sees rare events. */
function latencyLength({ seconds, rounds }: Pick<Context, "seconds" | "rounds">) {
  return rounds > 1 ? { seconds: seconds * 3, rounds: Math.ceil(rounds / 2) } : { seconds, rounds };
}

/** Connections for creates: on a slow disk, many are in flight at once. */
const PATIENT_CONNECTIONS = 4 * CONNECTIONS;

async function measureLatency(side: RunningSide, rate: number, seconds: number): Promise<LatencySample> {
  const streams = [
    { name: "list", calls: [listCall(side)], rate: rate * 0.9, connections: CONNECTIONS },
    { name: "create", calls: [createCall(side)], rate: rate * 0.1, connections: PATIENT_CONNECTIONS },
  ];
  const [list, create] = await driveAtRate(side.address, streams, seconds);
  return { rate, list: list as StreamResult, create: create as StreamResult };
}

function latencyRow({ name, kind }: Side, samples: readonly LatencySample[]): Row {
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

/** What readers of the latencies must know. */
function latencyNotes(name: string, samples: readonly LatencySample[]): string[] {
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
