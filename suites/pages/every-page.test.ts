import { expect, test } from "bun:test";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser } from "../../test/browser/browser.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startService } from "../../test/support/service.ts";

/** How many blocks of code are covered by the button that copies them. */
const COVERED_CODE = `[...document.querySelectorAll(".code")].filter((code) => {
  const [button, text] = [".copy", "pre"].map((name) => code.querySelector(name)?.getBoundingClientRect());
  return button && button.bottom > text.top;
}).length`;

test(
  "each page below /docs is accessible in both schemes, fits every width, covers no code and breaks no policy",
  async () => {
    await using service = await startService();
    await using browser = await startBrowser();
    const { page, problems } = await browser.open(`${service.address}/docs`);
    const paths: string[] = await page.evaluate(
      "[...document.querySelectorAll('.sidebar a, main a')].map(({ pathname }) => pathname)",
    );
    const pages = [...new Set(paths)].filter((path) => path.startsWith("/docs/"));
    // The guides, the errors and the page of each.
    expect(pages.length).toBeGreaterThan(30);
    for (const path of [...pages, "/docs/nothing"]) {
      await page.goto(service.address + path);
      await expectAccessible(page);
      await expectToFit(page);
      expect([path, await page.evaluate(COVERED_CODE)]).toEqual([path, 0]);
    }
    const unexpected = problems.filter((problem) => !problem.includes("Failed to load resource"));
    expect(unexpected).toEqual([]);
  },
  LONG_RUN_MS,
);
