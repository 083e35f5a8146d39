import type { Machine } from "../machine.ts";
import { isMet, type Section } from "./section.ts";
import { number, renderSection, show, showAim, table } from "./text.ts";

/** Everything that a run found. */
export interface Report {
  readonly command: string;
  /** In UTC. */
  readonly date: string;
  readonly machine: Machine;
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly generator: string;
  readonly minutes: number;
  readonly sections: readonly Section[];
}

/** Markdown that reads well on a terminal too. */
export function renderReport(report: Report): string {
  return [renderRun(report), ...report.sections.map(renderSection), renderAims(report)].join("\n\n");
}

/** What was run, where, and how. */
export function renderRun({ machine, ...run }: Report): string {
  const lines = [
    `\`${run.command}\` on ${run.date}, in ${number(run.minutes, 0)} minutes`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGigabytes} GB; ${machine.system}, Linux ${machine.kernel}; Bun ${machine.bun}, Node ${machine.node}`,
    `a sync of 4 KiB takes ${show(machine.syncMilliseconds, 2)} ms`,
    `${run.rounds} rounds of ${run.seconds} s a side, ${run.connections} connections, driven by ${run.generator}; figures are medians, with the least and the greatest where they differ`,
  ];
  if (machine.inMemory)
    lines.push("**the stores were in memory**, where a sync costs nothing; `TMPDIR` names another place");
  if (machine.load > 0.5)
    lines.push(`**the machine was not quiet**: its load was ${machine.load} before the run began`);
  return lines.map((line) => `- ${line}`).join("\n");
}

/** All that ours is to reach, and whether it does. */
export function renderAims({ sections }: Report): string {
  const rows = sections.flatMap(({ findings }) =>
    findings.map(({ what, value, digits, aim }) => [
      what,
      show(value, digits),
      showAim(aim),
      isMet(aim, value) ? "yes" : "**no**",
    ]),
  );
  return `### Aims\n\n${table(["", "median (min to max)", "aim", "met"], rows)}`;
}
