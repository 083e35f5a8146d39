import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";
import type { Section } from "../report/section.ts";
import { startServer } from "../server.ts";
import { spread } from "../spread.ts";
import type { Context, Experiment } from "./experiment.ts";

const STORES = [
  { animals: 0, name: "an empty store" },
  { animals: 1_000_000, name: "a store of 1 million" },
];
/** After this time a started process is at rest. */
const REST_MS = 2000;

/** Measures the time from the start of the process until it reports its address, and its memory at rest. */
export const start: Experiment = {
  name: "start",
  about: "how long a start takes, and what memory it takes to do nothing",
  async run(context): Promise<Section> {
    const starts = STORES.map((store) => ({
      ...store,
      milliseconds: [] as number[],
      megabytes: [] as number[],
    }));
    const warmUps = context.rounds > 1 ? 1 : 0;
    for (let round = 0; round < warmUps + context.rounds; round++) {
      for (const { animals, name, milliseconds, megabytes } of starts) {
        const started = await startOnce(context, animals, `${round}-${animals}`);
        // The first start reads the program from the disk.
        if (round < warmUps) continue;
        milliseconds.push(started.milliseconds);
        megabytes.push(started.megabytes);
        context.log(`start: on ${name} in ${Math.round(started.milliseconds)} ms`);
      }
    }
    return {
      name: "start",
      title: "From the start of the process until it listens, and its memory at rest",
      notes: [],
      columns: [
        { key: "milliseconds", label: "ms until it listens", digits: 0 },
        { key: "megabytes", label: "resident MB at rest", digits: 0 },
      ],
      rows: starts.map(({ name, milliseconds, megabytes }) => ({
        name,
        kind: "ours",
        figures: { milliseconds: spread(milliseconds), megabytes: spread(megabytes) },
      })),
      findings: [],
    };
  },
};

async function startOnce({ folder, shared }: Context, animals: number, name: string) {
  const own = join(folder, name);
  mkdirSync(own);
  await shared.sqlite.copyTo(own, animals);
  const begin = performance.now();
  await using server = await startServer([PROGRAM, "serve", "--port", "0"], { folder: own });
  const milliseconds = performance.now() - begin;
  await Bun.sleep(REST_MS);
  return { milliseconds, megabytes: server.residentMegabytes() };
}
