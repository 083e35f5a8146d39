import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { expectAccessible, expectToFit } from "./accessibility.ts";
import { startBrowser, type TestBrowser } from "./browser.ts";
import { openConsole, unexpected } from "./console.ts";

// What people do most on each page. The suite `pages` has everything else, in several times the time.

const GREATEST = "9223372036854775807";
const NAMES = ["Rex", "<img src=x onerror=alert(1)>", "مرحبا قط", "🦜 Polly 👩‍👩‍👧‍👦"];
const LANGUAGES = ["curl", "JavaScript", "Python", "Go", "Java", "PHP", "Ruby", "C#", "TypeScript"];

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

async function startWith(names: readonly string[]): Promise<Service> {
  const service = await startService();
  for (const name of names) await service.create(JSON.stringify({ name, categoryId: 7 }));
  return service;
}

const rows = (page: Page) => page.locator(".animals tbody tr");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");
/** An order with a status, in the dialog. */
const order = (page: Page, status: string) => dialog(page).locator(`.order-list .state-label.${status}`);

async function place(service: Service): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await service.call("/v1/orders", { method: "POST", headers, body: '{"petId":1}' });
  expect(response.status).toBe(201);
}

test("a guide has its drawing, described in words, in the colors of the page", async () => {
  await using sandbox = await startSandbox();
  for (const guide of ["webhooks", "judge-receiver", "agents"]) {
    const { page, problems } = await browser.open(`${sandbox.address}/docs/guides/${guide}`, {
      colorScheme: "light",
      viewport: { width: 320, height: 800 },
    });
    const drawing = page.locator(".prose img");
    expect((await drawing.getAttribute("alt"))?.length).toBeGreaterThan(50);
    expect(await page.evaluate<number>("document.querySelector('.prose img').naturalWidth")).toBe(360);
    await expectToFit(page);
    const light = await drawing.screenshot();
    // As the switch of the page does.
    await page.evaluate("document.documentElement.dataset.scheme = 'dark'");
    await until(async () => !light.equals(await drawing.screenshot()));
    await expectAccessible(page);
    expect(problems).toEqual([]);
    const markdown = await (await fetch(`${sandbox.address}/docs/guides/${guide}.md`)).text();
    expect(markdown).toContain(`\n${await drawing.getAttribute("alt")}\n`);
  }
});

describe("the console", () => {
  test("asks for a key, with where to get one, and keeps it for the tab", async () => {
    await using service = await startService();
    const visit = await browser.open(`${service.address}/`);
    const { page } = visit;
    expect(await page.getByText("animal-store keys create").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("Enter an API key.").waitFor();
    await page.getByLabel("API key").fill(`as_test_${"x".repeat(36)}`);
    await page.keyboard.press("Enter");
    await page.getByText("This is production, and the key is for staging").waitFor();
    await page.getByLabel("API key").fill(`as_live_${"x".repeat(36)}`);
    await page.keyboard.press("Enter");
    await page.getByText("The service refused this key").waitFor();
    await expectAccessible(page);
    // As the console itself shortens it: no header could carry it.
    await page.getByLabel("API key").fill(`${service.key.slice(0, 8)}…${service.key.slice(-4)}`);
    await page.keyboard.press("Enter");
    await page.getByText("copy all of it, and nothing else").waitFor();
    await page.getByLabel("API key").fill(service.key);
    await page.keyboard.press("Enter");
    await page.getByText("No animals yet").waitFor();
    await page.reload();
    await page.getByText("No animals yet").waitFor();
    expect(await page.content()).not.toContain(service.key);
    await page.locator(".menu > summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.reload();
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    expect(unexpected(visit)).toEqual([]);
  });

  test("shows names as text, whatever is in them, and numbers to the last digit", async () => {
    await using service = await startWith(NAMES);
    await service.create(`{"name":"The greatest category","categoryId":${GREATEST}}`);
    const visit = await openConsole(browser, service);
    const { page } = visit;
    await rows(page).first().waitFor();
    expect(await page.locator(".animals .name").allInnerTexts()).toEqual(
      expect.arrayContaining([...NAMES, "The greatest category"]),
    );
    expect(await page.locator(".animals img").count()).toBe(0);
    expect(await rows(page).first().locator(".number").last().innerText()).toBe(GREATEST);
    await expectAccessible(page);
    await expectToFit(page);
    expect(unexpected(visit)).toEqual([]);
  });

  test("adds one animal, also when the first response is lost", async () => {
    await using service = await startService();
    const { page } = await openConsole(browser, service);
    await page.getByText("No animals yet").waitFor();
    // The service gets the first attempt, and its answer is lost.
    await page.route(
      "**/v1/pets",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Add animal" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Rex");
    await dialog.getByLabel("Category").fill("1");
    await dialog.getByRole("button", { name: "Add animal" }).click();
    await dialog.getByText("No response came").waitFor();
    // The focus has stayed on the button.
    await page.keyboard.press("Enter");
    await page.getByText("Added Rex as 1.").waitFor();
    await page.getByText("1 animal, ids 1 to 1").waitFor();
  });

  test("takes an order from placed to delivered, and the row of its animal shows each status", async () => {
    await using service = await startWith(["Rex"]);
    const visit = await openConsole(browser, service);
    const { page } = visit;
    await page.getByRole("link", { name: "Rex", exact: true }).click();
    await dialog(page).getByText("This animal has no orders").waitFor();
    await expectAccessible(page);
    await button(page, "Place an order").click();
    await order(page, "placed").waitFor();
    await dialog(page).locator(".facts .state-label.pending").waitFor();
    await rows(page).first().locator(".state-label.pending").waitFor();
    await button(page, "Approve").click();
    await order(page, "approved").waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await button(page, "Deliver").click();
    await dialog(page).getByText("Animal 1 is then sold").waitFor();
    await expectAccessible(page);
    await button(page, "Deliver it").click();
    await order(page, "delivered").waitFor();
    await rows(page).first().locator(".state-label.sold").waitFor();
    const stored = await (await service.call("/v1/orders/1")).json();
    expect(stored).toMatchObject({ petId: 1, status: "delivered" });
    expect(await (await service.call("/v1/pets/1")).json()).toMatchObject({ status: "sold" });
    expect(unexpected(visit)).toEqual([]);
  });

  test("marks what other clients change in its place, and what they add at the top", async () => {
    await using service = await startWith(["Rex", "Mia"]);
    await service.store.recordEvents(true);
    const visit = await openConsole(browser, service);
    const { page } = visit;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".feed-state.connected").waitFor();
    await expectAccessible(page);
    const before = await rows(page).nth(1).boundingBox();
    await place(service);
    await rows(page).nth(1).locator(".state-label.pending").waitFor();
    expect(await rows(page).nth(1).getAttribute("class")).toBe("changed");
    expect(await rows(page).nth(1).boundingBox()).toEqual(before);
    await service.create('{"name":"Zoe","categoryId":7}');
    await rows(page).nth(2).waitFor();
    expect(await page.locator(".animals .name").allInnerTexts()).toEqual(["Zoe", "Mia", "Rex"]);
    expect(await rows(page).first().getAttribute("class")).toBe("arrived");
    await page.locator(".feed-latest").getByText("Zoe").waitFor({ state: "attached" });
    await page.locator(".feed summary").click();
    await page.locator(".feed-list li").nth(2).waitFor();
    expect(await page.locator(".feed-list li").count()).toBe(3);
    await expectAccessible(page);
    await expectToFit(page);
    await page.keyboard.press("Escape");
    expect(await page.locator(".feed-list").isVisible()).toBe(false);
    await page.getByText("3 animals, ids 3 to 1").waitFor();
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.locator(":is(.changed, .arrived)").first().waitFor({ state: "detached" });
    expect(await rows(page).count()).toBe(3);
    expect(unexpected(visit)).toEqual([]);
  });
});

describe("the reference", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service[Symbol.asyncDispose]());
  const open = (path: string, options = {}) => browser.open(service.address + path, options);
  const operation = (page: Page, id: string) => page.locator(`#${id}`);

  test("shows every operation without a script, with samples in each language, and what is deprecated", async () => {
    const { page } = await open("/docs", { javaScriptEnabled: false });
    expect(await page.locator(".operation h2").allInnerTexts()).toEqual([
      "List animals",
      "Add an animal",
      "Get an animal",
      "List orders",
      "Place an order",
      "Get an order",
      "Change an order",
      "Get the key of this request",
      "Read the feed of changes",
    ]);
    const samples = operation(page, "createPet").locator(".samples");
    expect(await samples.locator("pre").innerText()).toContain("curl 'http");
    expect(await samples.getByRole("link").allInnerTexts()).toEqual(LANGUAGES);
    expect(await operation(page, "getPet").getByRole("note").innerText()).toStartWith(
      "Deprecated, removed on 5 December 2030.",
    );
    expect(await page.locator(".sidebar .deprecated").innerText()).toContain("deprecated");
    await samples.getByRole("link", { name: "Ruby" }).click();
    expect(new URL(page.url()).hash).toBe("#add-an-animal");
    expect(await page.locator("article pre").nth(1).innerText()).toContain("Net::HTTP::Post.new");
  });

  test("shows the bounds of identifiers to the last digit", async () => {
    const { page } = await open("/docs", { javaScriptEnabled: false });
    expect(await operation(page, "getPet").locator(".rules").first().innerText()).toContain(GREATEST);
    const category = operation(page, "createPet").locator(".field", { hasText: "categoryId" }).first();
    expect(await category.locator(".rules").innerText()).toContain("-9223372036854775808");
  });

  test("shows the request and the response of a call, to the last digit", async () => {
    // The page calls the service that it came from, whatever that is called.
    const { page, problems } = await browser.open(
      `${service.address.replace("127.0.0.1", "localhost")}/docs`,
    );
    await page.getByLabel("Your API key").first().fill(service.key);
    await page.getByRole("button", { name: "Use it" }).first().click();

    const create = operation(page, "createPet");
    await create.getByText("Try it", { exact: true }).click();
    await create.getByLabel("Body").fill(`{"name":"<b>Rex</b>","categoryId":${GREATEST}}`);
    await create.getByRole("button", { name: "Send request" }).click();
    const result = create.locator(".result");
    expect(await result.locator("h3").innerText()).toMatch(/^201 in \d+ ms, \d+ bytes$/);
    expect(await result.locator("pre").first().innerText()).toContain(`"categoryId": ${GREATEST}`);
    expect(await result.locator("pre").first().innerText()).toContain("<b>Rex</b>");
    expect(await result.locator(".head").first().innerText()).toContain("x-request-id");
    expect(await create.locator(".try-panel > .code").innerText()).toContain(`"categoryId":${GREATEST}}'`);

    // The key is there after a reload, and is shown nowhere.
    await page.reload();
    const list = operation(page, "listPets");
    await list.getByText("Try it", { exact: true }).click();
    await list.getByRole("button", { name: "Send request" }).click();
    expect(await list.locator(".result pre").first().innerText()).toContain(`"categoryId": ${GREATEST}`);
    expect(await page.content()).not.toContain(service.key);
    expect(problems).toEqual([]);
  });
});
