import type { Machine } from "../machine.ts";
import type { Section } from "./section.ts";
import { renderSection, show } from "./text.ts";

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
  readonly sections: readonly Section[];
}

/** Markdown that reads well on a terminal too. */
export function renderReport(report: Report): string {
  return [renderRun(report), ...report.sections.map(renderSection)].join("\n\n");
}

function renderRun({ command, date, machine, seconds, rounds, connections, generator }: Report): string {
  const lines = [
    `\`${command}\`, ${date}`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGigabytes} GB; ${machine.system}, Linux ${machine.kernel}; Bun ${machine.bun}, Node ${machine.node}`,
    `A sync of 4 KiB takes ${show(machine.syncMilliseconds, 2)} ms${machine.inMemory ? ", IN MEMORY: creates cost less than on any disk; TMPDIR names another place" : ""}.`,
    `${rounds} rounds of ${seconds} s a side, ${connections} connections, driven by ${generator}. Figures are medians, with the least and the greatest.`,
  ];
  if (machine.load > 0.5)
    lines.push(`The machine was not quiet: its load was ${machine.load} before the run began.`);
  return lines.map((line) => `- ${line}`).join("\n");
}
