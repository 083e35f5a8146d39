import { createCall, getCall, listCall } from "../calls.ts";
import { drive } from "../load/drive.ts";
import { CONNECTIONS } from "../load/load.ts";
import type { Finding, Section } from "../report/section.ts";
import { cpuOf } from "../side.ts";
import { OURS } from "../sides/animal-store.ts";
import { SANDBOX } from "../sides/sandbox.ts";
import { quotients, spread } from "../spread.ts";
import type { Experiment } from "./experiment.ts";
import { inTurns } from "./turns.ts";

const ANIMALS = 1000;
/** Each animal is asked for in turn. */
const GETS = 1000;

/** A sandbox aims at nine tenths of the throughput of serve. */
const RATIO_MIN = 0.9;

const LOADS = {
  list: (side: Parameters<typeof listCall>[0]) => [listCall(side)],
  get: (side: Parameters<typeof getCall>[0]) =>
    Array.from({ length: GETS }, (_, index) => getCall(side, 1 + index)),
  create: (side: Parameters<typeof createCall>[0]) => [createCall(side)],
} as const;

type Load = keyof typeof LOADS;

interface Sample {
  readonly rate: number;
  readonly cpu: number;
}

/** What the journal, the spaces and the faults of a sandbox cost its requests. */
export const sandbox: Experiment = {
  name: "sandbox",
  about: "requests a second of a sandbox compared with those of serve",
  async run(context): Promise<Section> {
    const sides = [OURS, SANDBOX];
    const samples = await inTurns(sides, ANIMALS, context, async ({ running }) => {
      const measured: Partial<Record<Load, Sample>> = {};
      for (const [load, calls] of Object.entries(LOADS)) {
        const before = cpuOf(running);
        const { requests, microseconds } = await drive(
          running.address,
          calls(running),
          context.seconds,
          CONNECTIONS,
        );
        measured[load as Load] = {
          rate: requests / (microseconds / 1e6),
          cpu: (cpuOf(running) - before) / requests,
        };
      }
      return measured as Readonly<Record<Load, Sample>>;
    });
    const of = (side: (typeof sides)[number], load: Load, figure: keyof Sample) =>
      (samples.get(side) ?? []).map((each) => each[load][figure]);
    const loads = Object.keys(LOADS) as Load[];
    return {
      name: "sandbox",
      title: `A sandbox beside serve: ${ANIMALS} animals, ${CONNECTIONS} connections`,
      notes: ["A create of serve waits for the disk, and one of a sandbox for nothing."],
      columns: loads.flatMap((load) => [
        { key: `${load}Rate`, label: `${load}: requests/s`, digits: 0 },
        { key: `${load}Cpu`, label: `${load}: CPU µs/request`, digits: 1 },
      ]),
      rows: sides.map((side) => ({
        name: side.name,
        kind: side.kind,
        figures: Object.fromEntries(
          loads.flatMap((load) => [
            [`${load}Rate`, spread(of(side, load, "rate"))],
            [`${load}Cpu`, spread(of(side, load, "cpu"))],
          ]),
        ),
      })),
      findings: loads.map(
        (load): Finding => ({
          what: `${load}: requests a second, sandbox / serve`,
          value: quotients(of(SANDBOX, load, "rate"), of(OURS, load, "rate")),
          digits: 2,
          aim: { atLeast: RATIO_MIN },
        }),
      ),
    };
  },
};
