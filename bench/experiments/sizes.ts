import type { Call } from "../call.ts";
import { createCall, getCall, pageCall } from "../calls.ts";
import { type Contestant, rotate, startContestants } from "../contest.ts";
import { drive } from "../load/drive.ts";
import type { Column, Finding, Section } from "../report/section.ts";
import type { RunningSide, Side } from "../side.ts";
import { animalStore } from "../sides/animal-store.ts";
import { quotients, spread } from "../spread.ts";
import { STATUSES } from "../stock.ts";
import type { Experiment } from "./experiment.ts";

const SIZES = [
  { animals: 1000, name: "1 thousand" },
  { animals: 1_000_000, name: "1 million" },
];
const HUGE = { animals: 10_000_000, name: "10 million" };

const CALLS_A_RUN = 100_000;
const STRIDE = 617_183;

/** Everywhere in a store, and nothing twice: what is kept of answers would hide what the store costs. */
const KINDS = {
  pages: (side: RunningSide, animals: number, number: number) => {
    const page = pageCall(side, positionOf(number, animals), STATUSES[number % STATUSES.length]);
    return { ...page, path: `${page.path}&n=${number}` };
  },
  gets: (side: RunningSide, animals: number, number: number) => {
    const get = getCall(side, 1 + positionOf(number, animals));
    return { ...get, path: `${get.path}?n=${number}` };
  },
  creates: (side: RunningSide) => createCall(side),
} as const;

type Kind = keyof typeof KINDS;

function positionOf(number: number, animals: number): number {
  return (number * STRIDE) % (animals - 100);
}

function callsOf(kind: Kind, side: RunningSide, animals: number, run: number): Call[] {
  if (kind === "creates") return [KINDS.creates(side)];
  return Array.from({ length: CALLS_A_RUN }, (_, index) =>
    KINDS[kind](side, animals, run * CALLS_A_RUN + index),
  );
}

const COLUMNS: readonly Column[] = (Object.keys(KINDS) as Kind[]).flatMap((kind) => [
  { key: `${kind}Rate`, label: `${kind}/s`, digits: 0 },
  { key: `${kind}Cpu`, label: "CPU µs each", digits: 1 },
]);

/** By size of the store, and by kind: one value a round. */
type Figures = Readonly<Record<`${Kind}${"Rate" | "Cpu"}`, number[]>>;

/** A store with a thousand times as many animals must cost the same. */
export const sizes: Experiment = {
  name: "sizes",
  about: "the same calls to stores of 1 thousand and 1 million animals, with --huge of 10 million too",
  async run(context): Promise<Section> {
    await using stack = new AsyncDisposableStack();
    const stores: { animals: number; name: string; contestant: Contestant; figures: Figures }[] = [];
    for (const { animals, name } of context.huge ? [...SIZES, HUGE] : SIZES) {
      if (animals >= 1_000_000) context.tell(`sizes: preparing a store of ${name} animals`);
      const side: Side = animalStore({ name });
      const kinds = (running: RunningSide) =>
        (Object.keys(KINDS) as Kind[]).map((kind) => KINDS[kind](running, animals, 0));
      const { all } = await startContestants({ sides: [side], animals, kinds }, context, stack);
      const figures = Object.fromEntries(COLUMNS.map(({ key }) => [key, []])) as unknown as Figures;
      stores.push({ animals, name, contestant: all[0] as Contestant, figures });
    }
    const warmUps = context.rounds > 1 ? 1 : 0;
    for (const kind of Object.keys(KINDS) as Kind[]) {
      for (let round = 0; round < warmUps + context.rounds; round++) {
        for (const { animals, name, contestant, figures } of rotate(stores, round)) {
          const { running } = contestant;
          const before = running.cpuMicroseconds();
          const calls = callsOf(kind, running, animals, round);
          const load = await drive(running.address, calls, context.seconds);
          const cpu = (running.cpuMicroseconds() - before) / load.requests;
          contestant.count(load.created);
          const rate = load.requests / (load.microseconds / 1e6);
          context.tell(`sizes, ${kind}: ${name} ${Math.round(rate)}/s`);
          if (round < warmUps) continue;
          figures[`${kind}Rate`].push(rate);
          figures[`${kind}Cpu`].push(cpu);
        }
      }
    }
    for (const { contestant } of stores) await contestant.checkStored();
    const [small, ...others] = stores;
    return {
      name: "sizes",
      title:
        "The same calls to a small store and to large ones: pages with a filter and animals from everywhere in it, none asked for twice, and creates",
      notes: context.huge ? [] : ["`--huge` measures 10 million animals too."],
      columns: COLUMNS,
      rows: stores.map(({ name, figures }) => ({
        name: `${name} animals`,
        kind: "ours",
        figures: Object.fromEntries(Object.entries(figures).map(([key, values]) => [key, spread(values)])),
      })),
      findings: others.flatMap(({ name, figures }) =>
        (Object.keys(KINDS) as Kind[]).map(
          (kind): Finding => ({
            what: `ours, ${kind}: CPU µs with ${name} animals / with 1 thousand`,
            value: quotients(figures[`${kind}Cpu`], small?.figures[`${kind}Cpu`] ?? []),
            digits: 2,
            aim: { atMost: 1.2 },
          }),
        ),
      ),
    };
  },
};
