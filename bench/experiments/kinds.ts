import type { Call } from "../call.ts";
import { createCall, getCall, pageCall } from "../calls.ts";
import { type Contestant, rotate } from "../contest.ts";
import { drive } from "../load/drive.ts";
import type { RunningSide } from "../side.ts";
import { STATUSES } from "../stock.ts";
import type { Context } from "./experiment.ts";

/** A store of ours that takes each kind of call in turn. */
export interface Store {
  readonly name: string;
  readonly animals: number;
  readonly contestant: Contestant;
}

/** What was seen of a store and a kind, one value a round. */
export interface KindFigures {
  /** A second. */
  readonly rate: number[];
  /** Microseconds a request, of the service and of the load generator. */
  readonly cpu: number[];
  readonly generatorCpu: number[];
}

const CALLS_A_RUN = 100_000;
const STRIDE = 617_183;

/** Reads from everywhere in a store, and nothing twice: what is kept of answers would hide what the store costs. */
const KINDS = {
  pages: (side: RunningSide, animals: number, number: number) => {
    const page = pageCall(side, positionOf(number, animals), STATUSES[number % STATUSES.length]);
    // What means nothing makes each a page of its own, also where there are fewer pages than calls.
    return { ...page, path: `${page.path}&n=${number}` };
  },
  gets: (side: RunningSide, animals: number, number: number) => {
    const get = getCall(side, 1 + positionOf(number, animals));
    return { ...get, path: `${get.path}?n=${number}` };
  },
  creates: (side: RunningSide) => createCall(side),
} as const;

export type Kind = keyof typeof KINDS;

export const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** One call of each kind. */
export function kindsOf(animals: number): (side: RunningSide) => Call[] {
  return (side) => KIND_NAMES.map((kind) => KINDS[kind](side, animals, 0));
}

/** Lets stores take turns, kind after kind, after a round that only warms up where there are several. */
export async function measureKinds(
  stores: readonly Store[],
  name: string,
  { rounds, seconds, tell }: Context,
): Promise<ReadonlyMap<Store, Readonly<Record<Kind, KindFigures>>>> {
  const found = new Map(stores.map((store) => [store, { pages: none(), gets: none(), creates: none() }]));
  const warmUps = rounds > 1 ? 1 : 0;
  for (const kind of KIND_NAMES) {
    for (let round = 0; round < warmUps + rounds; round++) {
      for (const store of rotate(stores, round)) {
        const { running } = store.contestant;
        const calls = callsOf(kind, running, store.animals, round);
        const before = running.cpuMicroseconds();
        const { requests, microseconds, created, ...generator } = await drive(
          running.address,
          calls,
          seconds,
        );
        const used = running.cpuMicroseconds() - before;
        store.contestant.count(created);
        const rate = requests / (microseconds / 1e6);
        tell(`${name}, ${kind}: ${store.name} ${Math.round(rate)}/s`);
        const figures = round < warmUps ? none() : (found.get(store)?.[kind] as KindFigures);
        figures.rate.push(rate);
        figures.cpu.push(used / requests);
        figures.generatorCpu.push(generator.generatorCpuMicroseconds / requests);
      }
    }
  }
  for (const { contestant } of stores) await contestant.checkStored();
  return found;
}

function none(): KindFigures {
  return { rate: [], cpu: [], generatorCpu: [] };
}

function positionOf(number: number, animals: number): number {
  return (number * STRIDE) % (animals - 100);
}

function callsOf(kind: Kind, side: RunningSide, animals: number, run: number): Call[] {
  if (kind === "creates") return [KINDS.creates(side)];
  const first = run * CALLS_A_RUN;
  return Array.from({ length: CALLS_A_RUN }, (_, index) => KINDS[kind](side, animals, first + index));
}
