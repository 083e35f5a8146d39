import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const AXE = readFileSync(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Expects that axe finds nothing to fix, in the light scheme and in the dark one. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect([page.url(), colorScheme, await violationsOf(page)]).toEqual([page.url(), colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** What axe finds, with WCAG 2.2 AA and its own best practices: each as one line. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run()")) as { violations: readonly Violation[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary}`),
  );
}

/** The widths of a phone, a tablet and a desk. */
export const WIDTHS = [390, 768, 1440] as const;

/** Expects that a page is never wider than its window: at each width, and at each with 200 % zoom. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of [...WIDTHS, ...WIDTHS.map((width) => Math.max(320, width / 2))]) {
    await page.setViewportSize({ width, height: 900 });
    const needed = await page.evaluate("document.documentElement.scrollWidth");
    expect([page.url(), width, needed]).toEqual([page.url(), width, width]);
  }
}
