import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole, signIn, unexpected } from "../../test/browser/console.ts";
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
  const keys = page.locator(".search-keys");
  expect(await keys.locator("span").allInnerTexts()).toEqual([
    "↑↓ choose",
    "↵ open",
    "esc close",
    "jk rows of a list",
    "x choose one",
  ]);
  await expectAccessible(page, "dialog[open]");
  await expectToFit(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await keys.waitFor({ state: "hidden" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until(async () => new URL(page.url()).search === "?status=available");
  const { page: docs } = await browser.open(`${service.address}/docs`);
  await docs.keyboard.press("Control+k");
  await docs.getByRole("option", { name: /^List animals/ }).click();
  await docs.waitForURL("**/docs#listPets");
});

test("search offers where the tab has been, the latest first, and keeps no name of an animal", async () => {
  const { page } = await openConsole(browser, service, { path: "/?animal=2" });
  const recent = page.getByRole("group", { name: "Recent" }).getByRole("option");
  await page.getByRole("heading", { name: "Mia", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("row", { name: "Rex" }).getByRole("link").click();
  await page.getByRole("heading", { name: "Rex", exact: true }).waitFor();
  for (const missing of ["/?animal=77", "/docs/nope"]) {
    await page.goto(service.address + missing);
    await page
      .getByText(/There is no animal|There is no page here/)
      .first()
      .waitFor();
  }
  await page.goto(`${service.address}/docs/errors/overloaded`);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search the documentation" }).fill("list animals");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs#listPets");
  await page.goto(`${service.address}/docs/guides/paging`);
  await page.locator(".copy-markdown").waitFor();
  expect(await page.evaluate<string>("JSON.stringify({ ...sessionStorage })")).not.toMatch(/Mia|Rex/);
  await page.keyboard.press("Control+k");
  await recent.first().waitFor();
  expect(await recent.allInnerTexts()).toEqual([
    "API reference\nReference",
    "List animals\nReference",
    "overloaded\nReference",
    "Animal 1\nConsole",
    "Animal 2\nConsole",
  ]);
  await expectAccessible(page, "dialog[open]");
  await recent.getByText("Animal 2").click();
  await page.getByRole("heading", { name: "Mia", exact: true }).waitFor();
  // The console knows the name, and does not offer what is open.
  await page.getByRole("row", { name: "Rex" }).waitFor();
  await page.keyboard.press("Control+k");
  await recent.first().waitFor();
  expect(await recent.allInnerTexts()).toEqual([
    "Paging\nGuide",
    "API reference\nReference",
    "List animals\nReference",
    "overloaded\nReference",
    "Rex\nAnimal 1",
  ]);
  await expectAccessible(page, "dialog[open]");
  await expectToFit(page);
  await page.keyboard.press("ArrowUp");
  await page.locator('[aria-selected="true"]').getByText("Cancelled orders").waitFor();
  for (const down of ["Paging", "API reference", "List animals", "overloaded", "Rex"]) {
    await page.keyboard.press("ArrowDown");
    await page.locator('[aria-selected="true"]').getByText(down).waitFor();
  }
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Rex", exact: true }).waitFor();
});

test("search offers its lists where the browser keeps nothing", async () => {
  for (const [storage, script] of [
    ["full", "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }"],
    [
      "forbidden",
      `for (const name of ["sessionStorage", "localStorage"])
        Object.defineProperty(window, name, { get() { throw new DOMException("", "SecurityError"); } })`,
    ],
  ] as const) {
    const visit = await browser.open("about:blank");
    await visit.page.addInitScript(script);
    await visit.page.goto(service.address);
    await signIn(visit.page, service.key);
    await visit.page.getByRole("row", { name: "Mia" }).getByRole("link").click();
    await visit.page.getByRole("heading", { name: "Mia", exact: true }).waitFor();
    await visit.page.keyboard.press("Control+k");
    await visit.page.getByRole("option", { name: "Sold animals" }).click();
    await visit.page.getByText("No sold animals").waitFor();
    const uncaught = visit.problems.filter((problem) => problem.startsWith("uncaught"));
    expect([storage, uncaught]).toEqual([storage, []]);
  }
});

test("search marks what it found, also inside words, under accents and in what a thing belongs to", async () => {
  await using store = await startService();
  for (const name of ["Z\u030cofka", "Žofka 🐈‍⬛", "小白", "나비", "Łatek", "Çakıl", "Großøre", "Γάτος"])
    await store.create(JSON.stringify({ name, categoryId: 7 }));
  const { page } = await openConsole(browser, store);
  await page.locator(".items").waitFor();
  await page.keyboard.press("Control+k");
  const search = page.getByRole("combobox", { name: "Search" });
  const first = page.locator(".finding").first();
  for (const [query, title, marks] of [
    ["zof", "Žofka 🐈‍⬛", ["Žof"]],
    ["FKA", "Žofka 🐈‍⬛", ["fka"]],
    ["Ž", "Žofka 🐈‍⬛", ["Ž"]],
    ["🐈", "Žofka 🐈‍⬛", ["🐈‍⬛"]],
    ["白", "小白", ["白"]],
    ["나", "나비", ["나"]],
    ["latek", "Łatek", ["Łatek"]],
    ["CAKIL", "Çakıl", ["Çakıl"]],
    ["ssor", "Großøre", ["ßør"]],
    ["ΓΑΤΟΣ", "Γάτος", ["Γάτος"]],
    ["listpets", "List animals", ["listPets"]],
    ["ets get", "Get an animal", ["Get", "ets"]],
  ] as const) {
    await search.fill(query);
    await first.locator(".finding-title").getByText(title).waitFor();
    const found = await first.locator("mark").allInnerTexts();
    expect([query, marks.filter((mark) => !found.includes(mark))]).toEqual([query, []]);
  }
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
