import type { Section } from "../report/section.ts";
import type { Experiment } from "./experiment.ts";
import { NEAREST, type Scenario } from "./scenarios.ts";
import { takeTurns } from "./take-turns.ts";

/** The numbers of connections to measure. */
export const CONNECTIONS = [1, 16, 64, 256] as const;

/** Sends one load from few and from many connections, to ours and to the native peers. */
export function clients(scenario: Scenario): Experiment {
  const name = `clients-${scenario.name}`;
  const title = `From 1 to 256 connections: ${scenario.title}`;
  return {
    name,
    about: `${scenario.name} from ${CONNECTIONS.join(", ")} connections`,
    inSlices: true,
    async run(context): Promise<Section> {
      const results = await takeTurns(scenario, NEAREST, CONNECTIONS, context);
      const { base } = results;
      return {
        name,
        title,
        notes: results.absent.map((reason) => `Left out: ${reason}`),
        columns: CONNECTIONS.flatMap((count) => [
          { key: `cpu${count}`, label: `CPU µs, ${count}`, digits: 1 },
          ...(base ? [{ key: `ratio${count}`, label: `/ ${base.side.name}`, digits: 2 }] : []),
        ]),
        rows: results.all.map((each) => ({
          name: each.side.name,
          kind: each.side.kind,
          figures: Object.fromEntries(
            CONNECTIONS.flatMap((count) => [
              [`cpu${count}`, results.figure(each, count, "cpuPerRequest")],
              ...(base && base !== each ? [[`ratio${count}`, results.cpuRatio(each, base, count)]] : []),
            ]),
          ),
        })),
        findings: [],
      };
    },
  };
}
