import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { type Service, startService } from "../../test/support/service.ts";

let service: Service;
let browser: TestBrowser;
beforeAll(async () => {
  service = await startService();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** A good page keeps below 0.1 (web.dev, "Cumulative Layout Shift"): this is less than a line of text on a phone. */
const SHIFT_MAX = 0.01;
const RECORD_SHIFTS = `window.shift = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value;
}).observe({ type: "layout-shift", buffered: true });`;

const operation = (page: Page, id: string) => page.locator(`section.operation#${id}`);

test("nothing of a page moves while its script adds what only a script can do", async () => {
  const { page } = await browser.open(`${service.address}/docs`);
  await page.addInitScript(RECORD_SHIFTS);
  // A script that is there at once runs before anything is painted.
  await page.route(/\.js$/, async (route) => {
    await Bun.sleep(300);
    await route.continue();
  });
  for (const key of ["", service.key]) {
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of ["/docs", "/docs?again#createPet", "/docs/guides/start"]) {
        await page.goto(service.address + path);
        await page.locator(".copy-markdown").waitFor();
        await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
        const shift = await page.evaluate<number>("shift");
        const hasKey = key !== "";
        expect([path, width, hasKey, shift < SHIFT_MAX || shift]).toEqual([path, width, hasKey, true]);
      }
    }
    if (key) continue;
    await page.goto(`${service.address}/docs`);
    const field = page.locator("#key");
    await field.getByLabel("Your API key").fill(service.key);
    await field.getByRole("button", { name: "Use it" }).click();
    await field.getByText("Sign out").waitFor();
  }
});

test("the bar above a base address says which it is, and the block has the address alone", async () => {
  const { page } = await browser.open(`${service.address}/docs`);
  const block = page.locator(".intro .code pre");
  expect(await block.innerText()).toBe(`${service.address}/v1`);
  expect(await block.getAttribute("data-language")).toBe("Production");
});

test("a link to a place in a long page leads there at once", async () => {
  const { page } = await browser.open(`${service.address}/docs#header-ratelimit`);
  await page.locator("#header-ratelimit").waitFor();
  expect(await page.evaluate("getComputedStyle(document.documentElement).scrollBehavior")).toBe("auto");
  expect(
    await page.evaluate("document.getElementById('header-ratelimit').getBoundingClientRect().top"),
  ).toBeLessThan(await page.evaluate<number>("innerHeight"));
});

test("a call can be tried next to its sample, and one response is open at a time", async () => {
  const { page } = await browser.open(`${service.address}/docs`, { viewport: { width: 1440, height: 900 } });
  const create = operation(page, "createPet");
  const button = create.getByText("Try it", { exact: true });
  await button.waitFor();
  const [sample, tried] = await Promise.all([create.locator(".samples").boundingBox(), button.boundingBox()]);
  const below = (tried?.y ?? 0) - (sample?.y ?? 0) - (sample?.height ?? 0);
  expect(below).toBeLessThan(40);
  const open = create.locator(".response-examples details[open] summary");
  expect(await open.allInnerTexts()).toEqual([expect.stringContaining("Created")]);
  await create.getByText("400 invalid_body").click();
  expect(await open.allInnerTexts()).toEqual([expect.stringContaining("invalid_body")]);
  await expectAccessible(page, "#createPet");
});

test("the sample for a terminal has the reader's key, whole only in a copy, and a program reads it from its environment", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page } = await browser.open(`${service.address}/docs`, { permissions });
  const sample = operation(page, "listPets").locator(".samples code");
  await sample.getByText("$API_KEY").waitFor();
  await page.getByLabel("API key").first().fill(service.key);
  await page.keyboard.press("Enter");
  await sample.getByText(`Bearer ${service.key.slice(0, 8)}…`).waitFor();
  expect(await page.content()).not.toContain(service.key);
  await operation(page, "listPets").locator(".samples .copy").click();
  await operation(page, "listPets").locator(".samples").getByText("Copied").waitFor();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain(`Bearer ${service.key}"`);
  await operation(page, "listPets").getByRole("tab", { name: "Python" }).click();
  await sample.getByText("import").first().waitFor();
  expect(await sample.textContent()).not.toContain(service.key);
});

test("a phone shows the sample and the form before the parameters, a screen below the title at most", async () => {
  const { page } = await browser.open(`${service.address}/docs`, { viewport: { width: 390, height: 844 } });
  for (const id of ["listPets", "createPet", "updateOrder"]) {
    const section = operation(page, id);
    const button = section.locator(".try").getByText("Try it", { exact: true });
    await button.waitFor();
    const top = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
    const [title, tried, fields] = [
      await top(section.locator("h2")),
      await top(button),
      await top(section.locator(".fields").first()),
    ];
    expect([id, tried - title < 844, tried < fields]).toEqual([id, true, true]);
  }
});

test("a link to an operation leads below the line that ends the one before", async () => {
  const { page } = await browser.open(`${service.address}/docs`);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${service.address}/docs?${width}#createPet`);
    const top = await page.evaluate<number>(
      "document.querySelector('#createPet').getBoundingClientRect().top - (document.querySelector('.topbar').offsetHeight)",
    );
    expect([width, top <= 1 && top > -10]).toEqual([width, true]);
  }
});

test("each member of a body has a field, which changes the body and leaves the rest of it exact", async () => {
  const { page } = await browser.open(`${service.address}/docs`);
  const create = operation(page, "createPet");
  await create.getByText("Try it", { exact: true }).click();
  const body = create.getByLabel("Body");
  await create.getByLabel("categoryId", { exact: true }).fill("9223372036854775807");
  expect(await body.inputValue()).toContain('"categoryId": 9223372036854775807');
  await create.getByLabel("name", { exact: true }).fill("Mia");
  await create.getByLabel("status", { exact: true }).selectOption("sold");
  expect(JSON.parse(await body.inputValue())).toMatchObject({ name: "Mia", status: "sold" });
  expect(await body.inputValue()).toContain("9223372036854775807");
  await create.getByLabel("status", { exact: true }).selectOption("");
  expect(await body.inputValue()).not.toContain("status");
  await body.fill("{");
  await create.getByText("once the body is a JSON object").waitFor();
  await body.fill('{"name":"Zoe","categoryId":1}');
  expect(await create.getByLabel("name", { exact: true }).inputValue()).toBe("Zoe");
  await expectAccessible(page, "#createPet");
});

test("the environment stands next to the name of the product, also in a wide font", async () => {
  const { page } = await browser.open(`${service.address}/docs`, { viewport: { width: 1440, height: 900 } });
  await page.evaluate("document.querySelector('.sidebar-head').style.letterSpacing = '0.03em'");
  const boxes = await Promise.all(
    [".brand", ".environment"].map((part) => page.locator(`.sidebar-head ${part}`).boundingBox()),
  );
  const [name, environment] = boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0) / 2);
  expect(Math.abs((name ?? 0) - (environment ?? 99))).toBeLessThan(8);
});

test("a group of the navigation folds, and a guide leads to its neighbours", async () => {
  const { page } = await browser.open(`${service.address}/docs/guides/start`);
  const group = page.locator(".sidebar details").filter({ hasText: "Objects" });
  const link = group.getByRole("link", { name: "Animal", exact: true });
  expect(await link.isVisible()).toBe(true);
  await group.locator("summary").click();
  expect(await link.isVisible()).toBe(false);
  // The first guide has none before it.
  const neighbours = page.getByRole("navigation", { name: "Neighbouring pages" });
  expect(await neighbours.getByRole("link").count()).toBe(1);
  await neighbours.getByRole("link", { name: /^Next/ }).click();
  await page.waitForURL((url) => url.pathname !== "/docs/guides/start");
  expect(await page.locator("h1").count()).toBe(1);
  await expectAccessible(page, ".next-page");
  await neighbours.getByRole("link", { name: /^Previous/ }).click();
  await page.waitForURL("**/docs/guides/start");
});

test("an address that nothing is at shows a browser a page with navigation and search", async () => {
  const { page } = await browser.open(`${service.address}/nope`);
  await page.getByRole("heading", { name: "There is no page here" }).waitFor();
  await page.getByRole("button", { name: "Search" }).first().waitFor();
  await expectAccessible(page);
  await expectToFit(page);
});
