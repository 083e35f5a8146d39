import { availableParallelism } from "node:os";
import { TICK_MICROSECONDS } from "./accounting.ts";
import { CONNECTIONS } from "./load.ts";
import type { Length, Sample, ScenarioResult, SideResult } from "./measure.ts";
import type { Aim } from "./scenarios.ts";

/** The middle of several values, and how far they lie apart. */
interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

interface Ratio {
  readonly to: string;
  readonly requestsPerSecond: Spread;
  readonly cpuPerRequest: Spread;
  readonly aim: Aim;
}

/** Everything that a run found, ready to be written as JSON. */
export function summarise(results: readonly ScenarioResult[], length: Length) {
  return {
    runtime: `Bun ${Bun.version}`,
    cores: availableParallelism(),
    connections: CONNECTIONS,
    ...length,
    cpuTickMicroseconds: TICK_MICROSECONDS,
    scenarios: results.map((result) => ({
      name: result.scenario.name,
      title: result.scenario.title,
      sides: result.sides.map(({ name, samples }) => ({ name, ...summariseSide(samples) })),
      ratios: ratios(result),
      memoryMebibytes: result.memory,
    })),
  };
}

export type Summary = ReturnType<typeof summarise>;

function summariseSide(samples: readonly Sample[]) {
  return {
    requestsPerSecond: spread(samples.map((sample) => sample.requestsPerSecond)),
    cpuPerRequest: spread(samples.map((sample) => sample.cpuPerRequest)),
    p99Milliseconds: spread(samples.map((sample) => sample.p99Milliseconds)),
  };
}

/** Ours to each other side, round by round: what slows the machine for a while slows both. */
function ratios({ scenario, sides: [ours, ...others] }: ScenarioResult): Ratio[] {
  return others.map((other, index) => ({
    to: other.name,
    requestsPerSecond: quotients(ours as SideResult, other, "requestsPerSecond"),
    cpuPerRequest: quotients(ours as SideResult, other, "cpuPerRequest"),
    aim: scenario.others[index]?.aim as Aim,
  }));
}

function quotients(ours: SideResult, other: SideResult, figure: keyof Sample): Spread {
  return spread(ours.samples.map((sample, round) => sample[figure] / (other.samples[round]?.[figure] ?? 0)));
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
  return { median, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** Writes a summary for people. */
export function render({ runtime, cores, connections, seconds, rounds, ...rest }: Summary): string {
  const lines = [
    `${runtime}, ${cores} cores, ${connections} connections, ${rounds} x ${seconds} s each side: median (min..max)`,
    `CPU time is counted in steps of ${rest.cpuTickMicroseconds / 1000} ms.`,
  ];
  for (const { title, sides, ratios, memoryMebibytes } of rest.scenarios) {
    lines.push("", title);
    lines.push(row("", "requests/s", "CPU µs/request", "p99 ms"));
    for (const side of sides) {
      const { requestsPerSecond, cpuPerRequest, p99Milliseconds } = side;
      lines.push(
        row(side.name, show(requestsPerSecond, 0), show(cpuPerRequest, 1), show(p99Milliseconds, 1)),
      );
    }
    for (const { to, requestsPerSecond, cpuPerRequest, aim } of ratios) {
      const aims = `aim ${aim.now} now, ${aim.design} by design`;
      lines.push(row(`ours / ${to}`, show(requestsPerSecond, 2), show(cpuPerRequest, 2), aims));
    }
    const { resident, highWater } = memoryMebibytes;
    lines.push(`memory of ours: ${resident.toFixed(0)} MiB resident, ${highWater.toFixed(0)} MiB at most`);
  }
  return lines.join("\n");
}

function show({ median, min, max }: Spread, digits: number): string {
  const text = (value: number) =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return min === max ? text(median) : `${text(median)} (${text(min)}..${text(max)})`;
}

function row(name: string, ...cells: readonly string[]): string {
  return `  ${name.padEnd(28)}${cells.map((cell) => cell.padEnd(27)).join("")}`.trimEnd();
}
