import { afterEach } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { BROWSER_WAIT_MS } from "../support/run-limits.ts";
import type { Executable } from "./chromium.ts";
import { type DriverOptions, launchBrowser } from "./launch.ts";

/** A browser for one test file, gone with `await using`. */
export interface TestBrowser extends AsyncDisposable {
  /** Opens a page in a fresh profile and waits until it is loaded; it is closed after the test. */
  open(address: string, options?: BrowserContextOptions): Promise<Visit>;
}

/** A page that is open. */
export interface Visit {
  readonly page: Page;
  /** What must not happen: errors on the console, what the page's policy stopped, calls to other hosts. */
  readonly problems: readonly string[];
}

const pages: Page[] = [];

// An open page continues to call the service and to be drawn.
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

/** Starts npm's browser, or the given one with options of its driver. */
export async function startBrowser(
  executable?: Executable,
  options: DriverOptions = {},
): Promise<TestBrowser> {
  const browser = await launchBrowser(executable, options);
  return {
    async open(address, options = {}) {
      const page = await browser.newPage(options);
      pages.push(page);
      page.setDefaultTimeout(BROWSER_WAIT_MS);
      const problems = watch(page, new URL(address).origin);
      await page.goto(address);
      return { page, problems };
    },
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
}

function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) problems.push(`called: ${url}`);
  });
  page.on("requestfailed", (request) => {
    // A page that closes aborts its event stream, and a repeated request aborts the one before.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") problems.push(`failed: ${request.url()}`);
  });
  return problems;
}
