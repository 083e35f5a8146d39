import { type Contestant, startContestants } from "../contest.ts";
import type { Finding, Section } from "../report/section.ts";
import { animalStore } from "../sides/animal-store.ts";
import { quotients, spread } from "../spread.ts";
import type { Experiment } from "./experiment.ts";
import { KIND_NAMES, kindsOf, measureKinds, type Store } from "./kinds.ts";

const SIZES = [
  { animals: 1000, name: "1 thousand" },
  { animals: 1_000_000, name: "1 million" },
];
const HUGE = { animals: 10_000_000, name: "10 million" };

/** A store with a thousand times as many animals must cost the same. */
export const sizes: Experiment = {
  name: "sizes",
  about: "the same calls to stores of 1 thousand and 1 million animals, with --huge of 10 million too",
  async run(context): Promise<Section> {
    await using stack = new AsyncDisposableStack();
    const stores: Store[] = [];
    for (const { animals, name } of context.huge ? [...SIZES, HUGE] : SIZES) {
      context.tell(`sizes: preparing a store of ${name} animals`);
      const sides = [animalStore({ name })] as const;
      const { all } = await startContestants({ sides, animals, kinds: kindsOf(animals) }, context, stack);
      stores.push({ name, animals, contestant: all[0] as Contestant });
    }
    const found = await measureKinds(stores, "sizes", context);
    const [[, small] = [], ...others] = found;
    return {
      name: "sizes",
      title:
        "The same calls to a small store and to large ones: pages with a filter and single animals from everywhere in it, none asked for twice, and creates",
      notes: context.huge ? [] : ["`--huge` measures 10 million animals too."],
      columns: KIND_NAMES.flatMap((kind) => [
        { key: `${kind}Rate`, label: `${kind}/s`, digits: 0 },
        { key: `${kind}Cpu`, label: "CPU µs each", digits: 1 },
      ]),
      rows: [...found].map(([{ name }, figures]) => ({
        name: `${name} animals`,
        kind: "ours",
        figures: Object.fromEntries(
          KIND_NAMES.flatMap((kind) => [
            [`${kind}Rate`, spread(figures[kind].rate)],
            [`${kind}Cpu`, spread(figures[kind].cpu)],
          ]),
        ),
      })),
      findings: others.flatMap(([{ name }, figures]) =>
        KIND_NAMES.map((kind): Finding => {
          const value = quotients(figures[kind].cpu, small?.[kind].cpu ?? []);
          const what = `sizes: ours, ${kind}, CPU µs with ${name} animals / with 1 thousand`;
          return { what, value, digits: 2, aim: { atMost: 1.2 } };
        }),
      ),
    };
  },
};
