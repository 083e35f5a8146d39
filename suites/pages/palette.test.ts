import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole, unexpected } from "../../test/browser/console.ts";
import { type Service, startService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";

let service: Service;
let browser: TestBrowser;
beforeAll(async () => {
  service = await startService();
  browser = await startBrowser();
  for (const name of ["Rex", "Mia"]) await service.create(JSON.stringify({ name, categoryId: 7 }));
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

test("Ctrl K in the console finds an animal by its id, its lists, and the documentation", async () => {
  const visit = await openConsole(browser, service);
  const { page } = visit;
  await page.locator(".items").waitFor();
  const search = page.getByRole("combobox", { name: "Search the console and the documentation" });
  await page.keyboard.press("Control+k");
  await search.waitFor();
  await page.keyboard.type("2");
  await page.locator('.finding[aria-selected="true"]').getByText("Animal 2").waitFor();
  await expectAccessible(page, "dialog[open]");
  await expectToFit(page);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Mia", exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe("?animal=2");

  await page.keyboard.press("Control+k");
  await search.fill("sold animals");
  await page.keyboard.press("Enter");
  await page.getByText("No sold animals").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);

  await page.keyboard.press("Control+k");
  await search.fill("order 1");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Search" }).click();
  await search.fill("idempotency_key_reused");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/errors/idempotency_key_reused");
  expect(unexpected(visit)).toEqual([]);
});

test("search offers the lists, or the operations, before anything is typed", async () => {
  const { page } = await openConsole(browser, service);
  await page.locator(".items").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "open orders Console" }).waitFor();
  await page.getByText("In a list: j and k lead on and back, x chooses.").waitFor();
  await expectAccessible(page, "dialog[open]");
  await expectToFit(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until(async () => new URL(page.url()).search === "?status=available");
  const { page: docs } = await browser.open(`${service.address}/docs`);
  await docs.keyboard.press("Control+k");
  await docs.getByRole("option", { name: /^List animals/ }).click();
  await docs.waitForURL("**/docs#listPets");
});

test("search finds an animal by a part of a name that the tab has shown, until the key is forgotten", async () => {
  const { page } = await openConsole(browser, service);
  await page.locator(".items").waitFor();
  const search = page.getByRole("combobox", { name: "Search the console and the documentation" });
  await page.keyboard.press("Control+k");
  await search.fill("IA");
  const found = page.locator('.finding[aria-selected="true"]').filter({ hasText: "Mia" });
  await found.getByText("Animal 2").waitFor();
  await expectAccessible(page, "dialog[open]");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Mia", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator(".menu > summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  await page.keyboard.press("Control+k");
  await search.fill("Mia");
  await page.getByText(/result|Nothing found/).waitFor();
  expect(await page.locator(".finding").filter({ hasText: "Animal 2" }).count()).toBe(0);
});

test("a search that cannot be loaded says so, above a menu too, and the next attempt loads it", async () => {
  const places = [
    {
      script: "**/palette*.js",
      open: () => openConsole(browser, service),
      shows: ".items tbody",
      hasMenu: false,
    },
    {
      script: "**/search*.js",
      open: () => browser.open(`${service.address}/docs`),
      shows: "#main",
      hasMenu: true,
    },
  ];
  for (const { script, open, shows, hasMenu } of places) {
    const { page } = await open();
    await page.locator(shows).waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    let attempts = 0;
    await page.route(script, (route) => (attempts++ === 0 ? route.abort() : route.continue()));
    // Chromium lets the next requests of a page that is loaded pass by a route that it has just heard of.
    await page.reload();
    await page.locator(shows).waitFor();
    if (hasMenu) await page.getByRole("button", { name: "Menu" }).click();
    await page.keyboard.press("Control+k");
    const notice = page.getByRole("alert").filter({ hasText: "could not be loaded. Try again." });
    await notice.waitFor();
    const isOnTop = await notice.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2) === element;
    });
    expect([script, isOnTop]).toEqual([script, true]);
    await expectAccessible(page, "[role=alert]");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search/ }).waitFor();
    await notice.waitFor({ state: "detached" });
  }
});

test("a phone opens search from the menu", async () => {
  const { page } = await openConsole(browser, service);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.locator(".menu > summary").click();
  await page.locator(".menu").getByRole("button", { name: "Search" }).click();
  await page.getByRole("combobox", { name: "Search the console and the documentation" }).fill("1");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Rex", exact: true }).waitFor();
});

test("a number is found as a whole, since an id may be a part of any other", async () => {
  const { page } = await browser.open(`${service.address}/docs`);
  const withNumber = await page.evaluate<string[]>(`(async () => {
    const entries = await (await fetch(document.documentElement.dataset.search)).json();
    const asWhole = /(?<![\\p{L}\\p{N}])31(?![\\p{L}\\p{N}])/u;
    return entries.filter(({ title, kind, text }) => asWhole.test([title, kind, text])).map(({ title }) => title);
  })()`);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search the documentation" }).fill("31");
  await page.getByText(/result|Nothing found/).waitFor();
  const found = await page.locator(".finding-title").allInnerTexts();
  expect(found.toSorted()).toEqual(withNumber.toSorted());
});

test("what search shows of a page has the signs of its examples", async () => {
  const { page } = await browser.open(`${service.address}/docs`);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search the documentation" }).fill("authentication");
  await page.locator(".finding-text").getByText("Authorization: Bearer <API_KEY>.").first().waitFor();
});

test("what search shows of a page begins and ends with whole words", async () => {
  const { page } = await browser.open(`${service.address}/docs`);
  const texts = await page.evaluate<string[]>(`(async () => {
    const entries = await (await fetch(document.documentElement.dataset.search)).json();
    return entries.map(({ text }) => text);
  })()`);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search the documentation" }).fill("ma");
  await page.getByText(/result/).waitFor();
  const shown = await page.locator(".finding-text").allTextContents();
  expect(shown.filter((text) => text.startsWith("… ")).length).toBeGreaterThan(0);
  expect(shown.filter((text) => text.endsWith(" …")).length).toBeGreaterThan(0);
  const pieces = shown.map((text) => ` ${text.replace(/^… | …$/g, "")} `);
  expect(pieces.filter((piece) => !texts.some((text) => ` ${text} `.includes(piece)))).toEqual([]);
});
