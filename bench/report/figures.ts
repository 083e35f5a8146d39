import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HERE } from "../program.ts";
import type { Spread } from "../spread.ts";
import { renderComparison } from "./comparison.ts";
import { renderPage } from "./page.ts";
import type { Report } from "./report.ts";

const FIGURES = join(HERE, "docs/performance.json");

/** The texts that hold figures, with the functions that fill them in. */
export const PAGES: readonly (readonly [file: string, render: typeof renderPage])[] = [
  [join(HERE, "docs/performance.md"), renderPage],
  [join(HERE, "bench/notes/figures.md"), renderPage],
  [join(HERE, "docs/comparison.md"), renderComparison],
];

/** The figures of the docs. */
export function readFigures(): Report {
  return JSON.parse(readFileSync(FIGURES, "utf8"));
}

/**
 * Replaces the figures of the experiments in a report, in the file of figures and in the texts; other experiments keep
 * theirs.
 */
export function writeFigures(report: Report): void {
  const earlier = existsSync(FIGURES) ? readFigures().sections : [];
  const sections = new Map([...earlier, ...report.sections].map((section) => [section.name, section]));
  const merged: Report = { machine: report.machine, sections: [...sections.values()] };
  writeFileSync(FIGURES, `${JSON.stringify(merged, rounded, 1)}\n`);
  const figures = readFigures();
  for (const [file, render] of PAGES) writeFileSync(file, render(readFileSync(file, "utf8"), figures));
}

/** More than four digits of a figure are noise. */
function rounded(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("median" in value)) return value;
  const { median, min, max } = value as Spread;
  const [a, b, c] = [median, min, max].map((each) => Number(each.toPrecision(4)));
  return { median: a, min: b, max: c };
}
