import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { CELLS } from "./compared/cells.ts";
import { CLOCK_PROBES, CLOCKS } from "./compared/clocks.ts";
import { PROBES } from "./compared/probes.ts";
import type { Tool } from "./compared/tool.ts";
import { TOOLS } from "./compared/tools.ts";

// Each row of the comparison is what a program found out of the tool that it names.

const page = await Bun.file(join(import.meta.dir, "../../docs/comparison.md")).text();

test("the comparison names what is probed", () => {
  expect(page).toContain(`| a tool for tests of clients | ${Object.keys(PROBES).join(" | ")} |\n`);
});

test.each(Object.entries(TOOLS))(
  "%s does what the comparison says",
  async (name, start) => {
    using folder = temporaryFolder();
    await using tool = await start(folder.path);
    const found: string[] = [];
    for (const probe of Object.values(PROBES)) found.push((await probe(tool)) ? "yes" : "no");
    expect(page).toContain(`| ${name} | ${found.join(" | ")} |\n`);
  },
  LONG_RUN_MS,
);

/** Years after any start of a clock, and another time for each question. */
const LATER_S = 1_900_000_000;

test("the comparison names what is asked of clocks", () => {
  expect(page).toContain(`| a clock for tests | ${Object.keys(CLOCK_PROBES).join(" | ")} |\n`);
});

test.each(Object.entries(CLOCKS))(
  "the clock of %s does what the comparison says",
  async (name, start) => {
    await using clock = await start();
    const found: string[] = [];
    for (const [at, probe] of Object.values(CLOCK_PROBES).entries())
      found.push((await probe(clock, LATER_S + at * 90_000)) ? "yes" : "no");
    expect(page).toContain(`| ${name} | ${found.join(" | ")} |\n`);
  },
  LONG_RUN_MS,
);

const rowsOf = (start: string) =>
  page
    .split("\n")
    .filter((line) => line.startsWith(start))
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));
/** The tools of the first table, without their links. */
const [COLUMNS = []] = rowsOf("| | ").map((names) =>
  names.map((name) => name.replace(/\[(.*?)\]\(.*?\)/, "$1")),
);

test.each(Object.entries(CELLS))(
  "%s does what the first table says of it",
  async (name, cells) => {
    using folder = temporaryFolder();
    await using tool = await (TOOLS[name] as (folder: string) => Promise<Tool>)(folder.path);
    for (const [row, words, isSo] of cells) {
      expect([row, rowsOf(`| ${row} |`)[0]?.[COLUMNS.indexOf(name)]]).toEqual([row, words]);
      expect([row, await isSo(tool)]).toEqual([row, true]);
    }
  },
  LONG_RUN_MS,
);
