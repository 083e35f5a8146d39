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

/** Waits for the animations that end: what is half transparent has no contrast. */
const UNTIL_STILL = `Promise.all(
  document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
    .map(({ finished }) => finished.catch(() => {})),
).then(() => {})`;

/**
 * Expects that axe finds nothing to fix, in the light scheme and in the dark one.
 *
 * @param part a selector of what to look at, else the whole page: axe takes seconds for a long one
 */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(UNTIL_STILL);
    const rules = colorScheme === "dark" ? RULES_OF_COLOR : undefined;
    const found = await violationsOf(page, { part, rules });
    expect([page.url(), colorScheme, found]).toEqual([page.url(), colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });
}

interface Search {
  /** A selector, of the whole page if it is left out. */
  readonly part?: string | undefined;
  /** All of them if they are left out: WCAG 2.2 AA and axe's own best practices. */
  readonly rules?: readonly string[] | undefined;
}

/** What axe finds, each as one line. */
export async function violationsOf(page: Page, { part = "html", rules }: Search = {}): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // It would also describe each element that is right, which takes most of its time.
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(run)) as { violations: readonly Violation[] };
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
