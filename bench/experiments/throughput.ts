import { CONNECTIONS } from "../load/load.ts";
import type { Finding, Row, Section } from "../report/section.ts";
import type { Side } from "../side.ts";
import { rust } from "../sides/native.ts";
import type { Experiment } from "./experiment.ts";
import { NEAREST, type Scenario } from "./scenarios.ts";
import { type Results, takeTurns } from "./take-turns.ts";

/** A generator busier than this may have been the bottleneck. */
const GENERATOR_BUSY_MAX = 0.97;

/** Sends one load to ours and to all servers that it is compared with. */
export function throughput(scenario: Scenario): Experiment {
  const { name, title } = scenario;
  return {
    name,
    about: title,
    inSlices: true,
    async run(context): Promise<Section> {
      const results = await takeTurns(scenario, [...NEAREST, ...scenario.peers], [CONNECTIONS], context);
      const { base } = results;
      return {
        name,
        title,
        notes: [...results.absent.map((reason) => `Left out: ${reason}`), ...heldUp(results)],
        columns: [
          { key: "requestsPerSecond", label: "requests/s", digits: 0 },
          { key: "cpuPerRequest", label: "CPU µs/request", digits: 1 },
          ...(base ? [{ key: "cpuRatio", label: `CPU / ${base.name}`, digits: 2 }] : []),
          { key: "megabytes", label: "resident MB", digits: 0 },
        ],
        rows: results.all.flatMap((each) => rowsOf(each, results)),
        findings: findings(scenario, results),
      };
    },
  };
}

function rowsOf(each: Side, results: Results): Row[] {
  const { name, kind } = each;
  const beside = results.besideOf(each);
  const { base } = results;
  const of = (figure: Parameters<Results["figure"]>[2]) => results.figure(each, CONNECTIONS, figure);
  const own: Row = {
    name,
    kind,
    figures: {
      requestsPerSecond: of("requestsPerSecond"),
      cpuPerRequest: of("cpuPerRequest"),
      ...(base && base !== each && { cpuRatio: results.cpuRatio(each, base, CONNECTIONS) }),
      megabytes: of("megabytes"),
    },
  };
  if (!beside) return [own];
  const figures = {
    cpuPerRequest: of("besideCpuPerRequest"),
    ...(base &&
      results.besideOf(base) &&
      base !== each && { cpuRatio: results.cpuRatio(each, base, CONNECTIONS, "besideCpuPerRequest") }),
    megabytes: of("besideMegabytes"),
  };
  return [own, { name: `… its ${beside}`, kind, figures }];
}

function findings({ name, aim }: Scenario, results: Results): Finding[] {
  const [ours] = results.all;
  const { base } = results;
  if (!ours || base !== rust) return [];
  const value = results.cpuRatio(ours, base, CONNECTIONS);
  return [{ what: `${name}: CPU per request, ours / ${rust.name}`, value, digits: 2, aim: { atMost: aim } }];
}

function heldUp(results: Results): string[] {
  return results.all.flatMap((each) => {
    const { median } = results.figure(each, CONNECTIONS, "generatorBusy");
    if (median <= GENERATOR_BUSY_MAX) return [];
    const busy = `${(median * 100).toFixed(0)} % of the time against ${each.name}`;
    return [`The load generator was at work ${busy}: it may have been the bottleneck.`];
  });
}
