import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { newTab, openConsole, signIn } from "../../test/browser/console.ts";
import { startService } from "../../test/support/service.ts";

// npm brings an older Chromium than people have: the two differ in regular expressions, and the older one, as npm builds it,
// keeps no page in a back/forward cache.

const DISTRIBUTIONS = { executablePath: "/usr/bin/chromium", env: {} };

/** A browser that keeps pages as a person's does: its driver turns that off, and so does a machine of little memory. */
function startKeepingPages(): Promise<TestBrowser> {
  const always = "BackForwardCacheMemoryControls:memory_threshold_for_back_forward_cache_in_mb/0";
  return startBrowser(DISTRIBUTIONS, {
    args: ["--headless=new", `--enable-features=${always}`],
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
}

/** Leaves a page for a guide, does something meanwhile, and goes back. */
async function awayAndBack(page: Page, meanwhile: () => Promise<unknown>): Promise<void> {
  await page.evaluate("addEventListener('pageshow', ({ persisted }) => (globalThis.wasKept = persisted))");
  const address = page.url();
  await page.goto(new URL("/docs/guides/paging", address).href);
  await meanwhile();
  // The driver's own way back waits for a load, which a kept page does not have.
  await page.evaluate("void setTimeout(() => history.back())");
  await page.waitForURL(address, { waitUntil: "commit" });
}

test("a console that comes back from the back/forward cache is live again, and shows what it missed", async () => {
  await using browser = await startKeepingPages();
  await using service = await startService();
  await service.store.recordEvents(true);
  await service.create('{"name":"Rex","categoryId":7}');
  const { page } = await openConsole(browser, service);
  const live = page.locator(".feed-state.connected");
  const name = (text: string) => page.locator(".animals .name").getByText(text, { exact: true });
  await live.waitFor();
  await awayAndBack(page, () => service.create('{"name":"Mia","categoryId":7}'));
  await live.waitFor();
  expect(await page.evaluate("globalThis.wasKept")).toBe(true);
  await name("Mia").waitFor();
  await service.create('{"name":"Zoe","categoryId":7}');
  await name("Zoe").waitFor();
});

test("a console that a person goes back to has heard of a sign-out in another tab", async () => {
  await using browser = await startKeepingPages();
  await using service = await startService();
  await service.create('{"name":"Rex","categoryId":7}');
  const { page } = await openConsole(browser, service, { isShared: true });
  await page.locator(".animals .name").waitFor();
  // What tabs tell each other meanwhile may end the keeping of the page.
  await awayAndBack(page, async () => {
    const tab = await newTab(page, service.address);
    await signIn(tab, service.key, true);
    await tab.locator(".animals .name").waitFor();
    await tab.locator(".menu > summary").click();
    await tab.getByRole("button", { name: "Sign out" }).click();
    await tab.getByLabel("API key").waitFor();
  });
  await page.getByLabel("API key").waitFor();
  expect(await page.evaluate<string>("JSON.stringify({ ...sessionStorage })")).not.toContain(service.key);
});

test("the distribution's Chromium shows the names of joined emoji whole", async () => {
  await using browser = await startBrowser(DISTRIBUTIONS);
  await using service = await startService();
  const names = ["🐈‍⬛", "🐕‍🦺", "🐻‍❄️", "👨‍👩‍👧‍👦", "👩🏽‍🌾"];
  for (const name of names) await service.create(JSON.stringify({ name, categoryId: 7 }));
  const { page } = await openConsole(browser, service);
  await page.locator(".animals tbody tr").first().waitFor();
  expect(await page.locator(".animals .name").allInnerTexts()).toEqual(names.toReversed());
});
