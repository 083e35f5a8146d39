import { createCall } from "../calls.ts";
import { Slices } from "../load/drive.ts";
import { feedLatency } from "../load/feed-latency.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { Row, Section } from "../report/section.ts";
import { cpuOf, type Side } from "../side.ts";
import { animalStore, OURS } from "../sides/animal-store.ts";
import { OURS_ON_POSTGRES, onPostgres } from "../sides/animal-store-postgres.ts";
import { quotients, spread } from "../spread.ts";
import type { Experiment } from "./experiment.ts";
import { inTurns } from "./turns.ts";

const ANIMALS = 100_000;
/** Creates a second while latency is measured: far from what any side can do. */
const RATE = 100;

/** The length of a turn: short, so that whatever slows the machine slows both sides of a ratio. */
const SLICE_SECONDS = 0.1;

/** The share of creates a second that is to remain where the feed is on. */
const RATE_AIM = 0.9;

const RECORDING = { STABILITY: "experimental" };

/** Each engine without the feed, which is the default, and with it. */
const PAIRS: readonly (readonly [off: Side, on: Side])[] = [
  [OURS, animalStore({ name: "animal-store, feed on", settings: RECORDING })],
  [OURS_ON_POSTGRES, onPostgres({ name: "animal-store on PostgreSQL, feed on", settings: RECORDING })],
];

interface Sample {
  /** Creates a second. */
  readonly rate: number;
  /** Microseconds of CPU for a create; the database server's share included. */
  readonly cpu: number;
  /** Milliseconds; without the feed there is none. */
  readonly latency?: { readonly p50: number; readonly p99: number };
}

/** What the feed costs creates, and how long after its response a create is an event at a listener. */
export const feed: Experiment = {
  name: "feed",
  about: "what the feed costs creates, and how soon a create reaches a listener",
  async run(context): Promise<Section> {
    const { seconds, rounds, versions, log } = context;
    if (versions) throw new Error("this compares a service with the feed and without; it takes no --against");
    const slices = Math.round(seconds / SLICE_SECONDS);
    const turns = { ...context, rounds: rounds * slices };
    using load = new Slices();
    const samples = await inTurns(PAIRS.flat(), ANIMALS, turns, async ({ side, running, run }) => {
      const { address } = running;
      const before = cpuOf(running);
      const calls = () => [createCall(running)];
      const { requests, microseconds } = await load.drive(address, calls, SLICE_SECONDS, CONNECTIONS);
      const rate = requests / (microseconds / 1e6);
      const cpu = (cpuOf(running) - before) / requests;
      const isOn = PAIRS.some(([, on]) => on === side);
      const latency =
        isOn && run % slices === 0 ? await feedLatency(running, { rate: RATE, seconds }) : undefined;
      const heard = latency ? `, heard after ${latency.p50.toFixed(1)} ms` : "";
      log(`feed: ${side.name} ${Math.round(rate)} creates/s, ${cpu.toFixed(1)} µs each${heard}`);
      return { rate, cpu, ...(latency && { latency }) } satisfies Sample;
    });
    return {
      name: "feed",
      title: `POST /v1/pets from ${CONNECTIONS} connections, with the feed of changes and without`,
      notes: [
        `The sides take turns of ${SLICE_SECONDS} s, driven by our own generator. CPU includes the database server's.`,
        `Latency is from the 201 of a create until a stream has its event, at ${RATE} creates a second; ` +
          "it is negative where the event came first.",
      ],
      columns: [
        { key: "rate", label: "creates/s", digits: 0 },
        { key: "cpu", label: "CPU µs/create", digits: 1 },
        { key: "rateRatio", label: "creates/s, on / off", digits: 2 },
        { key: "cpuRatio", label: "CPU, on / off", digits: 2 },
        { key: "p50", label: "latency ms, p50", digits: 1 },
        { key: "p99", label: "p99", digits: 1 },
      ],
      rows: PAIRS.flatMap(([off, on]) => [
        rowOf(off, samples.get(off) ?? []),
        rowOf(on, samples.get(on) ?? [], samples.get(off)),
      ]),
      findings: PAIRS.map(([off, on]) => ({
        what: `${on.name}: creates/s, on / off`,
        value: quotients(ratesOf(samples.get(on) ?? []), ratesOf(samples.get(off) ?? [])),
        digits: 2,
        aim: { atLeast: RATE_AIM },
      })),
    };
  },
};

function ratesOf(samples: readonly Sample[]): number[] {
  return samples.map(({ rate }) => rate);
}

function rowOf({ name, kind }: Side, own: readonly Sample[], off?: readonly Sample[]): Row {
  const cpus = (runs: readonly Sample[]) => runs.map(({ cpu }) => cpu);
  const latencies = own.flatMap(({ latency }) => latency ?? []);
  return {
    name,
    kind,
    figures: {
      rate: spread(ratesOf(own)),
      cpu: spread(cpus(own)),
      ...(off && {
        rateRatio: quotients(ratesOf(own), ratesOf(off)),
        cpuRatio: quotients(cpus(own), cpus(off)),
      }),
      ...(latencies.length > 0 && {
        p50: spread(latencies.map(({ p50 }) => p50)),
        p99: spread(latencies.map(({ p99 }) => p99)),
      }),
    },
  };
}
