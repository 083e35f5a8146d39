import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawPicture } from "./picture.ts";
import { type Report, renderAims, renderRun } from "./report.ts";
import { renderSection } from "./text.ts";

const DOCS = join(import.meta.dir, "../../docs");
const BEGIN = /<!-- measured:.*?-->/s;
const END = "<!-- /measured -->";

/** Writes `docs/performance.md`, but for what is written there by hand, and its picture. */
export function writePage(report: Report): void {
  const file = join(DOCS, "performance.md");
  writeFileSync(file, withMeasured(readFileSync(file, "utf8"), renderMeasured(report)));
  writeFileSync(join(DOCS, "performance.svg"), drawPicture(report.sections));
}

/**
 * Replaces what stands between the marks.
 *
 * @throws where a mark is missing: then it is not known what was written by hand
 */
export function withMeasured(page: string, measured: string): string {
  const begin = BEGIN.exec(page);
  const end = page.indexOf(END);
  if (!begin || end < begin.index)
    throw new Error(`the page lacks its marks: <!-- measured: … --> and ${END}`);
  return `${page.slice(0, begin.index + begin[0].length)}\n\n${measured}\n\n${page.slice(end)}`;
}

function renderMeasured(report: Report): string {
  return [
    "![Requests a second, by server](performance.svg)",
    renderRun(report),
    renderAims(report),
    ...report.sections.map(renderSection),
  ].join("\n\n");
}
