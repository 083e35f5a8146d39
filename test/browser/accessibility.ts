import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const AXE = readFileSync(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** The rules that a scheme can break: everything else is the same in both. */
const RULES_OF_COLOR = ["color-contrast", "link-in-text-block"];

/** Expects that axe finds nothing to fix, in the light scheme and in the dark one. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await violationsOf(page, colorScheme === "dark" ? RULES_OF_COLOR : undefined);
    expect([page.url(), colorScheme, found]).toEqual([page.url(), colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/**
 * What axe finds, each as one line: by all its rules, WCAG 2.2 AA and its own best practices.
 *
 * @param rules these alone
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(AXE);
  const options = JSON.stringify(rules ? { runOnly: rules } : {});
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as { violations: readonly Violation[] };
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
