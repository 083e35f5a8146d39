import type { Machine } from "../machine.ts";
import { isMet, type Run, type Section } from "./section.ts";
import { number, renderSection, show, table } from "./text.ts";

/** The results of one run, or of several on one machine. */
export interface Report {
  readonly machine: Machine;
  readonly sections: readonly Section[];
}

/** Markdown that reads well on a terminal too. */
export function renderReport({ machine, sections }: Report): string {
  const runs = new Set(sections.flatMap(({ run }) => (run ? [renderRun(run)] : [])));
  const lines = [...renderMachine(machine), ...runs].map((line) => `- ${line}`);
  return [lines.join("\n"), ...sections.map(renderSection), renderAims(sections)]
    .filter(Boolean)
    .join("\n\n");
}

/** Where it was run. */
export function renderMachine(machine: Machine): string[] {
  const lines = [
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGigabytes} GB; ${machine.system}, Linux ${machine.kernel}; Bun ${machine.bun}, Node ${machine.node}`,
    `a sync of 4 KiB takes ${show(machine.syncMilliseconds, 2)} ms`,
  ];
  if (machine.inMemory)
    lines.push("**the stores were in memory**, where a sync costs nothing; `TMPDIR` names another place");
  return lines;
}

/** How it was run. */
export function renderRun({ date, commit, rounds, seconds, load, generator }: Run): string {
  const how = `${date}, commit ${commit}: ${rounds} rounds of ${seconds} s a side, driven by ${generator}`;
  return load > 0.5 ? `${how}; **the machine was not quiet**: its load was ${number(load, 1)} before` : how;
}

/** A table of the aims and whether they are met; empty when nothing was compared. */
export function renderAims(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ findings }) =>
    findings.map(({ what, value, digits, aim }) => [
      what,
      show(value, digits),
      "atLeast" in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`,
      isMet(aim, value) ? "met" : "**missed**",
    ]),
  );
  return rows.length === 0 ? "" : table(["", "median (interval)", "aim", ""], rows);
}
