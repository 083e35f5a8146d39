import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { HERE } from "../../bench/program.ts";
import { renderComparison } from "../../bench/report/comparison.ts";
import { PAGES, readFigures } from "../../bench/report/figures.ts";
import { renderPage } from "../../bench/report/page.ts";

describe("the figures of the docs are those that were measured last (docs/performance.json)", () => {
  for (const [file, render] of PAGES) {
    const text = readFileSync(file, "utf8");
    test(`${relative(HERE, file)} holds them`, () => {
      expect(render(text, readFigures())).toBe(text);
    });

    test(`${relative(HERE, file)} follows a new run`, () => {
      const { machine, sections } = readFigures();
      const list = sections.find(({ name }) => name === "list");
      if (!list) throw new Error("no figures of list");
      const [ours, ...others] = list.rows;
      if (!ours) throw new Error("no figures of ours");
      const figures = { ...ours.figures, cpuPerRequest: { median: 123.4, min: 123.4, max: 123.4 } };
      const slower = { ...list, rows: [{ ...ours, figures }, ...others] };
      const rest = sections.filter((section) => section !== list);
      expect(render(text, { machine, sections: [slower, ...rest] })).toContain("123.4");
    });
  }
});

test("a text without a placeholder for figures is unchanged", () => {
  expect(() => renderPage("# By hand", readFigures())).toThrow("no mark");
  expect(() => renderPage("<!-- figures: luck -->\n<!-- /figures -->", readFigures())).toThrow("luck");
  expect(() => renderComparison("# By hand", readFigures())).toThrow("lacks the row");
});
