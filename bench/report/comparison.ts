import { SCENARIOS } from "../experiments/scenarios.ts";
import { OURS } from "../sides/animal-store.ts";
import { jsonServer } from "../sides/json-server.ts";
import { prism } from "../sides/prism.ts";
import type { Report } from "./report.ts";
import { number } from "./text.ts";

const ROW = /^\| CPU for a page of 20 animals \|.*$/m;
const SENTENCE = /^The figures are medians.*(?:\n.+)*/m;

/**
 * Puts the figures of the last run into the comparison with other programs: a row of the table, and the paragraph below it.
 *
 * @throws when the page has no place for them, or a figure is missing
 */
export function renderComparison(page: string, report: Report): string {
  if (!ROW.test(page) || !SENTENCE.test(page)) {
    throw new Error(
      "the comparison lacks the row `CPU for a page of 20 animals`, or the paragraph `The figures are medians`",
    );
  }
  const cpu = (name: string) => `${number(figure(report, "list", name, "cpuPerRequest"), 1)} µs`;
  const row = `| CPU for a page of 20 animals | ${cpu(OURS.name)} | not measured | ${cpu(prism.name)} | ${cpu(jsonServer.name)} |`;
  const ratios = SCENARIOS.map(({ name }) => number(figure(report, name, OURS.name, "cpuRatio"), 2));
  const [list, pages, get, create, mix] = ratios;
  const sentence = [
    "The figures are medians of one run on one machine; [performance.md](performance.md) has them with those of",
    "Fastify, Hono and Elysia. A server in Rust that gives the same responses, byte for byte, is the yardstick for what is",
    `possible: Animal Store takes ${list} of its CPU for a page from the cache, ${pages} for any other page, ${get} for one`,
    `animal, ${create} for a create, and ${mix} for nine pages to a create.`,
  ].join("\n");
  return page.replace(ROW, row).replace(SENTENCE, sentence);
}

function figure({ sections }: Report, section: string, row: string, key: string): number {
  const rows = sections.find(({ name }) => name === section)?.rows ?? [];
  const found = rows.find(({ name }) => name === row)?.figures[key];
  if (!found) throw new Error(`there is no figure ${key} of ${row} in ${section}`);
  return found.median;
}
