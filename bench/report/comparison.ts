import { OURS } from "../sides/animal-store.ts";
import { jsonServer } from "../sides/json-server.ts";
import { prism } from "../sides/prism.ts";
import type { Report } from "./report.ts";
import { number } from "./text.ts";

const ROW = /^\| CPU for a page of 20 animals \|.*$/m;

/**
 * Puts the figures of the last run into the comparison with other programs: a row of the table.
 *
 * @throws when the page has no place for them, or a figure is missing
 */
export function renderComparison(page: string, report: Report): string {
  if (!ROW.test(page)) throw new Error("the comparison lacks the row `CPU for a page of 20 animals`");
  const cpu = (name: string) => `${number(figure(report, "list", name, "cpuPerRequest"), 1)} µs`;
  const row = `| CPU for a page of 20 animals | ${cpu(OURS.name)} | not measured | ${cpu(prism.name)} | ${cpu(jsonServer.name)} |`;
  return page.replace(ROW, row);
}

function figure({ sections }: Report, section: string, row: string, key: string): number {
  const rows = sections.find(({ name }) => name === section)?.rows ?? [];
  const found = rows.find(({ name }) => name === row)?.figures[key];
  if (!found) throw new Error(`there is no figure ${key} of ${row} in ${section}`);
  return found.median;
}
