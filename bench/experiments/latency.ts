import type { Call } from "../call.ts";
import { createCall, listCall } from "../calls.ts";
import { type Contestant, rotate, startContestants } from "../contest.ts";
import { drive, driveAtRate } from "../load/drive.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { Percentiles, StreamResult } from "../load/open-model.ts";
import type { Column, Row, Section } from "../report/section.ts";
import { show } from "../report/text.ts";
import type { RunningSide, Side } from "../side.ts";
import { peersOnSql } from "../sides/peers-on-sql.ts";
import { quotients, spread } from "../spread.ts";
import type { Context, Experiment } from "./experiment.ts";
import { distinctPages, NEAREST } from "./scenarios.ts";

const ANIMALS = 100_000;
const SIDES: readonly Side[] = [...NEAREST, ...peersOnSql];

interface StreamShape {
  readonly name: string;
  /** Of ten requests. */
  readonly share: number;
  readonly connections: number;
  calls(side: RunningSide, run: number): readonly Call[];
}

const STREAMS: readonly StreamShape[] = [
  { name: "lists", share: 6, connections: CONNECTIONS, calls: (side) => [listCall(side)] },
  {
    name: "pages",
    share: 3,
    connections: CONNECTIONS,
    calls: (side, run) => distinctPages(side, run, ANIMALS),
  },
  // On a slow disk, many creates are in flight at once.
  { name: "creates", share: 1, connections: 4 * CONNECTIONS, calls: (side) => [createCall(side)] },
];

const SHOWN = { p50: "p50 ms", p99: "p99 ms", p999: "p99.9 ms" } as const;
const SHOWN_KEYS = Object.keys(SHOWN) as (keyof typeof SHOWN)[];

const COLUMNS: readonly Column[] = [
  { key: "rate", label: "requests/s", digits: 0 },
  ...STREAMS.flatMap(({ name }) =>
    SHOWN_KEYS.map((key, index) => ({
      key: `${name}-${key}`,
      label: index === 0 ? `${name}: ${SHOWN[key]}` : SHOWN[key],
      digits: 2,
    })),
  ),
];

/** The latencies of one side in one run, by stream. */
interface Sample {
  readonly rate: number;
  readonly streams: readonly StreamResult[];
}

/** When the generator itself is later than this (p99.9), the report says so. */
const LATENESS_MAX_MS = 1;

/**
 * Measures latency at half of the highest rate that each side reaches: in use, with room to spare. Two versions of ours
 * get the same rate, half of what the earlier one reaches.
 */
export const latency: Experiment = {
  name: "latency",
  about: "how long responses take at half of the highest rate, 60 first pages to 30 others and 10 creates",
  async run(context): Promise<Section> {
    const { log, versions } = context;
    await using stack = new AsyncDisposableStack();
    const kinds = (side: RunningSide) => STREAMS.map(({ calls }) => calls(side, 0)[0] as Call);
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
    const samples = new Map<Contestant, Sample[]>(all.map((each) => [each, []]));
    const length = lengthOf(context);
    for (let round = 0; round < length.rounds; round++) {
      for (const [each, rate] of rotate([...rates], round)) {
        const sample = await measure(each.running, rate, length.seconds, round + 1);
        samples.get(each)?.push(sample);
        const seen = sample.streams.map(({ name, latency }) => `${name} ${latency.p99.toFixed(2)} ms`);
        log(`latency, round ${round + 1} of ${length.rounds}: ${each.side.name} p99 ${seen.join(", ")}`);
      }
    }
    return {
      name: "latency",
      title:
        "How long responses take at half of the highest rate: 60 first pages to 30 others and 10 creates, in an open model",
      notes: [
        ...absent.map((reason) => `Left out: ${reason}`),
        ...(versions ? ratios(samples.get(ours) ?? [], samples.get(before) ?? []) : []),
        ...[...samples].flatMap(([{ side }, runs]) => notesOn(side.name, runs)),
      ],
      columns: COLUMNS,
      rows: [...samples].map(([{ side }, runs]) => rowOf(side, runs)),
      findings: [],
    };
  },
};

/** The highest rate of the load that a side reaches, in requests a second; with several rounds, after a warm-up. */
async function highestRate(side: RunningSide, { seconds, rounds }: Context): Promise<number> {
  const streams = STREAMS.map(({ share, calls }) => ({ share, calls: calls(side, 0) }));
  const longest = Math.max(...streams.map(({ calls }) => calls.length));
  const load = Array.from({ length: longest / 10 }, (_, index) =>
    streams.flatMap(({ share, calls }) =>
      Array.from({ length: share }, (_, at) => calls[(index * share + at) % calls.length] as Call),
    ),
  ).flat();
  if (rounds > 1) await drive(side.address, load, seconds, CONNECTIONS);
  const { requests, microseconds } = await drive(side.address, load, seconds, CONNECTIONS);
  return requests / (microseconds / 1e6);
}

/** Runs are fewer and longer than elsewhere, so that each sees rare events. */
function lengthOf({ seconds, rounds }: Pick<Context, "seconds" | "rounds">) {
  return rounds > 1 ? { seconds: seconds * 3, rounds: Math.ceil(rounds / 2) } : { seconds, rounds };
}

async function measure(side: RunningSide, rate: number, seconds: number, run: number): Promise<Sample> {
  const streams = STREAMS.map(({ name, share, connections, calls }) => {
    return { name, calls: calls(side, run), rate: (rate * share) / 10, connections };
  });
  return { rate, streams: await driveAtRate(side.address, streams, seconds) };
}

function valuesOf(samples: readonly Sample[], stream: string, key: keyof Percentiles): number[] {
  return samples.flatMap(({ streams }) =>
    streams.filter(({ name }) => name === stream).map(({ latency }) => latency[key]),
  );
}

function rowOf({ name, kind }: Side, samples: readonly Sample[]): Row {
  const latencies = STREAMS.flatMap((stream) =>
    SHOWN_KEYS.map((key) => [`${stream.name}-${key}`, spread(valuesOf(samples, stream.name, key))] as const),
  );
  const figures = { rate: spread(samples.map(({ rate }) => rate)), ...Object.fromEntries(latencies) };
  return { name, kind, figures };
}

/** The latencies of this version as ratios to the other's in the same round. */
function ratios(now: readonly Sample[], before: readonly Sample[]): string[] {
  return STREAMS.map(({ name }) => {
    const each = SHOWN_KEYS.map((key) => {
      const ratio = quotients(valuesOf(now, name, key), valuesOf(before, name, key));
      return `${SHOWN[key].replace(" ms", "")} ${show(ratio, 2)}`;
    });
    return `${name}, now / before: ${each.join(", ")}`;
  });
}

/** What readers of the latencies must know. */
function notesOn(name: string, samples: readonly Sample[]): string[] {
  const streams = samples.flatMap((sample) => sample.streams);
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
