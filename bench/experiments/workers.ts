import { availableParallelism } from "node:os";
import { type Contestant, startContestants } from "../contest.ts";
import type { Finding, Section } from "../report/section.ts";
import { animalStore } from "../sides/animal-store.ts";
import { quotients, spread } from "../spread.ts";
import type { Experiment } from "./experiment.ts";
import { KIND_NAMES, kindsOf, measureKinds, type Store } from "./kinds.ts";

const ANIMALS = 1_000_000;

/** One process, two, and one for each core. */
const NUMBERS = [...new Set([1, 2, availableParallelism()])].sort((a, b) => a - b);

/**
 * What more processes on one port reach. The load generator has the same cores: what could be reached at most
 * is where it and the service together have used them all.
 */
export const workers: Experiment = {
  name: "workers",
  about: "one process against several that share the port and the store",
  async run(context): Promise<Section> {
    await using stack = new AsyncDisposableStack();
    const stores: Store[] = [];
    for (const number of NUMBERS) {
      const name = `WORKERS=${number}`;
      const sides = [animalStore({ name, settings: { WORKERS: `${number}` } })] as const;
      const contest = { sides, animals: ANIMALS, kinds: kindsOf(ANIMALS) };
      const { all } = await startContestants(contest, context, stack);
      stores.push({ name, animals: ANIMALS, contestant: all[0] as Contestant });
    }
    const found = await measureKinds(stores, "workers", context);
    const [[, one] = [], ...others] = found;
    return {
      name: "workers",
      title: "Several processes on one port and one store of 1 million, none of the reads asked for twice",
      notes: [
        `The load generator shares the ${availableParallelism()} cores. "At most" is where both together would have used them all: ` +
          "cores / (CPU of the service + CPU of the generator, for each request).",
      ],
      columns: KIND_NAMES.flatMap((kind) => [
        { key: `${kind}Rate`, label: `${kind}/s`, digits: 0 },
        { key: `${kind}Ceiling`, label: "at most", digits: 0 },
        { key: `${kind}Cpu`, label: "CPU µs each", digits: 1 },
        { key: `${kind}GeneratorCpu`, label: "generator's", digits: 1 },
      ]),
      rows: [...found].map(([{ name }, figures]) => ({
        name,
        kind: "ours",
        figures: Object.fromEntries(
          KIND_NAMES.flatMap((kind) => {
            const { rate, cpu, generatorCpu } = figures[kind];
            const ceiling = cpu.map((own, round) => ceilingOf(own + (generatorCpu[round] as number)));
            return [
              [`${kind}Rate`, spread(rate)],
              [`${kind}Ceiling`, spread(ceiling)],
              [`${kind}Cpu`, spread(cpu)],
              [`${kind}GeneratorCpu`, spread(generatorCpu)],
            ];
          }),
        ),
      })),
      findings: others.slice(0, 1).map(([{ name }, figures]): Finding => {
        const value = quotients(figures.creates.rate, one?.creates.rate ?? []);
        return {
          what: `workers: ours, creates/s, ${name} / WORKERS=1`,
          value,
          digits: 2,
          aim: { atLeast: 1 },
        };
      }),
    };
  },
};

function ceilingOf(microsecondsEach: number): number {
  return (availableParallelism() * 1e6) / microsecondsEach;
}
