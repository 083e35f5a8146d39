import type { Row, Section } from "../report/section.ts";
import type { Side } from "../side.ts";
import type { Experiment } from "./experiment.ts";
import { NEAREST, type Scenario } from "./scenarios.ts";
import { type CpuFigure, type Results, takeTurns } from "./take-turns.ts";

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
          ...(base ? [{ key: `ratio${count}`, label: `/ ${base.name}`, digits: 2 }] : []),
        ]),
        rows: results.all.flatMap((each) => rowsOf(each, results)),
        findings: [],
      };
    },
  };
}

/** The CPU of a side; below it that of its database, where both sides of a comparison of versions have one. */
function rowsOf(each: Side, results: Results): Row[] {
  const { name, kind } = each;
  const { base } = results;
  const figuresOf = (figure: CpuFigure) =>
    Object.fromEntries(
      CONNECTIONS.flatMap((count) => [
        [`cpu${count}`, results.figure(each, count, figure)],
        ...(base && base !== each ? [[`ratio${count}`, results.cpuRatio(each, base, count, figure)]] : []),
      ]),
    );
  const own: Row = { name, kind, figures: figuresOf("cpuPerRequest") };
  const beside = base && results.besideOf(base);
  if (!beside) return [own];
  return [own, { name: `… its ${beside}`, kind, figures: figuresOf("besideCpuPerRequest") }];
}
