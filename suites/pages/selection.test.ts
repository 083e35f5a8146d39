import { afterAll, beforeAll, expect, test } from "bun:test";
import { ANIMAL_MEMBERS } from "../../src/domain/animal.ts";
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
  const names = ["Rex", "שוקו", 'a, \u202e"b"', "x".repeat(255), "Tom"];
  for (const name of names) await service.create(JSON.stringify({ name, categoryId: 7 }));
  await service.create('{"name":"Mia","categoryId":7,"status":"sold"}');
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const WIDE = { viewport: { width: 1440, height: 900 } };
const COLUMNS = ["id", ...Object.keys(ANIMAL_MEMBERS)];

/** A line of the console's file for an animal that lacks all that it may. @param required its other columns */
function rowOf(required: string): string {
  const needed = Object.values(ANIMAL_MEMBERS).filter(({ isOptional }) => !isOptional).length + 1;
  return required + ",".repeat(COLUMNS.length - needed);
}

function csvOf(...rows: readonly string[]): string {
  return [COLUMNS.join(), ...rows.map(rowOf)].map((line) => `${line}\r\n`).join("");
}

test("animals that are chosen are copied, saved as CSV, and ordered each once", async () => {
  const visit = await openConsole(browser, service);
  const { page } = visit;
  await page.setViewportSize(WIDE.viewport);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const box = (name: string) => page.getByRole("checkbox", { name, exact: true });
  await box("Choose animal 6").check();
  const bar = page.getByRole("region", { name: "Chosen animals" });
  await bar.getByText("1 animal chosen").waitFor();
  expect(await bar.getByRole("button", { name: "None is available" }).getAttribute("aria-disabled")).toBe(
    "true",
  );
  await box("Choose animal 3").check();
  await box("Choose animal 2").check();
  await bar.getByText("3 animals chosen").waitFor();
  expect(await page.locator(".panel").count()).toBe(0);
  await expectAccessible(page);
  await expectToFit(page);

  const [saved] = await Promise.all([page.waitForEvent("download"), button("Export as CSV").last().click()]);
  expect(await Bun.file(await saved.path()).text()).toBe(
    csvOf("6,Mia,7,sold", '3,"a, \u202e""b""",7,available', "2,שוקו,7,available"),
  );

  // The first order is placed, and nobody learns it; the second animal is ordered by somebody else meanwhile.
  let posts = 0;
  await page.route("**/v1/orders", async (route) => {
    if (route.request().method() !== "POST" || ++posts > 1) return route.continue();
    await service.call("/v1/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"petId":2}',
    });
    await route.fetch();
    await route.abort();
  });
  await bar.getByRole("button", { name: "Order 2 available" }).click();
  const dialog = page.getByRole("dialog", { name: "Order 2 animals" });
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Place 2 orders" }).click();
  await dialog.getByText("1 of 2 orders placed. Done.").waitFor();
  await dialog.getByText("שוקו").waitFor();
  expect(posts).toBe(3);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Close" }).click();
  const orders = (await (await service.call("/v1/orders?limit=100")).json()) as { petId: number }[];
  expect(orders.map(({ petId }) => petId).sort()).toEqual([2, 3]);
  await bar.getByRole("button", { name: "Clear" }).click();
  await bar.waitFor({ state: "detached" });
  await box("Choose all").check();
  await bar.getByText("6 animals chosen").waitFor();
  await page.getByText("Sold", { exact: true }).click();
  await bar.getByText("1 animal chosen").waitFor();
  expect(unexpected(visit)).toEqual([`failed: ${service.address}/v1/orders`]);
});

test("a phone chooses animals by a touch at the edge of their cards, and offers the same", async () => {
  const visit = await openConsole(browser, service);
  const { page } = visit;
  const box = (id: number) => page.getByRole("checkbox", { name: `Choose animal ${id}`, exact: true });
  const bar = page.getByRole("region", { name: "Chosen animals" });
  const cards = () =>
    page.evaluate<object[]>(
      "[...document.querySelectorAll('.items tbody tr')].map((row) => row.getBoundingClientRect())",
    );
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 });
    await box(6).waitFor();
    const before = await cards();
    // The label around the box is what a thumb meets.
    const {
      x,
      y,
      width: wide,
      height: high,
    } = (await page.locator("td .choice-cell").first().boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    expect([wide >= 44, high >= 44]).toEqual([true, true]);
    await page.mouse.click(x + wide - 2, y + high - 2);
    await bar.getByText("1 animal chosen").waitFor();
    expect(await cards()).toEqual(before);
    expect(await page.locator(".panel").count()).toBe(0);
    await bar.getByRole("button", { name: "Choose all" }).click();
    await bar.getByText("6 animals chosen").waitFor();
    expect(await bar.getByRole("button", { name: "Choose all" }).count()).toBe(0);
    const heights = await bar
      .getByRole("button")
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().height));
    expect([heights.length, heights.every((height) => height >= 44)]).toEqual([4, true]);
    await expectAccessible(page);
    // Nothing of the page is below the bar once it is scrolled to its end, the requests neither.
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    const requests = await page.locator(".requests > details").boundingBox();
    const edge = await bar.boundingBox();
    expect((requests?.y ?? 0) + (requests?.height ?? 0)).toBeLessThanOrEqual(edge?.y ?? 0);
    await page.evaluate("scrollTo(0, 0)");
    if (width === 390) {
      await bar.getByRole("button", { name: /^Order/ }).click();
      await page
        .getByRole("dialog", { name: /^Order \d animals$/ })
        .getByRole("button", { name: "Cancel" })
        .click();
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        bar.getByRole("button", { name: "Export" }).click(),
      ]);
      expect((await Bun.file(await saved.path()).text()).split("\r\n")[1]).toBe(rowOf("6,Mia,7,sold"));
    }
    await bar.getByRole("button", { name: "Clear" }).click();
    await bar.waitFor({ state: "detached" });
  }
  await expectToFit(page);
  // A touch of the rest of a card opens the animal.
  await page.setViewportSize({ width: 390, height: 700 });
  await page.getByText("Tom", { exact: true }).click();
  await page.getByRole("heading", { name: "Tom", exact: true }).waitFor();
  expect(unexpected(visit)).toEqual([]);
});

test("what is chosen on the narrowest phone has two lines of buttons, however many animals it is", async () => {
  await using store = await startService();
  const create = (status: string) => store.create(JSON.stringify({ name: "Rex", categoryId: 7, status }));
  for (let count = 0; count < 98; count++) await create("available");
  await create("sold");
  await create("pending");
  const { page } = await openConsole(browser, store, { path: "/?limit=100" });
  await page.setViewportSize({ width: 320, height: 700 });
  const bar = page.getByRole("region", { name: "Chosen animals" });
  const lines = () =>
    bar
      .getByRole("button")
      .evaluateAll(
        (buttons) => [...new Set(buttons.map((button) => button.getBoundingClientRect().y))].length,
      );
  // Animal 100 is not available: the longest words of the lower line, then those of the upper one.
  await page.getByRole("checkbox", { name: "Choose animal 100", exact: true }).check();
  await bar.getByRole("button", { name: "None is available" }).waitFor();
  expect(await lines()).toBe(2);
  await bar.getByRole("button", { name: "Choose all" }).click();
  await page.getByRole("checkbox", { name: "Choose animal 99", exact: true }).uncheck();
  await bar.getByRole("button", { name: "Order 98 available" }).waitFor();
  await bar.getByRole("button", { name: "Choose all" }).waitFor();
  expect(await lines()).toBe(2);
  await expectToFit(page);
});

test("the keys j and k lead through the rows and the panel, and x chooses a row", async () => {
  const { page } = await openConsole(browser, service);
  await page.setViewportSize(WIDE.viewport);
  const focused = () =>
    page.evaluate<string | undefined>("document.activeElement.closest('tr')?.cells[1].textContent");
  await page.locator(".items tbody tr").first().waitFor();
  await page.evaluate("document.activeElement.blur()");
  for (const [key, id] of [
    ["j", "6"],
    ["j", "5"],
    ["j", "4"],
    ["k", "5"],
  ] as const) {
    await page.keyboard.press(key);
    expect([key, await focused()]).toEqual([key, id]);
  }
  const hint =
    'getComputedStyle(document.activeElement.closest("tr").querySelector("label"), "::after").content';
  expect(await page.evaluate<string>(hint)).toBe('"x"');
  await page.keyboard.press("x");
  await page.getByText("1 animal chosen").waitFor();
  await page.keyboard.press("x");
  await page.getByRole("region", { name: "Chosen animals" }).waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Tom", exact: true }).waitFor();
  // Nothing moves behind a dialog, though none of its fields has the focus.
  await page.getByRole("button", { name: "Add animal" }).click();
  await page.getByRole("dialog", { name: "Add an animal" }).waitFor();
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("k");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Add an animal" }).waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Tom", exact: true }).waitFor();
  await page.locator("#panel-title").focus();
  await page.keyboard.press("k");
  await page.getByRole("heading", { name: "Mia", exact: true }).waitFor();
  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "Tom", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Find by id" }).pressSequentially("jkx");
  expect(await page.getByRole("textbox", { name: "Find by id" }).inputValue()).toBe("jkx");
  expect(await focused()).toBeUndefined();
});

test("orders of which the service forgets the key end with a report that stays", async () => {
  const { id, key } = await service.issueKey();
  const { page } = await openConsole(browser, service, { key });
  await page.setViewportSize(WIDE.viewport);
  await page.getByRole("checkbox", { name: "Choose animal 5", exact: true }).check();
  await page.getByRole("button", { name: "Order them" }).click();
  await service.store.revokeKey(id, Date.now());
  const dialog = page.getByRole("dialog", { name: "Order 1 animal" });
  await dialog.getByRole("button", { name: "Place 1 order" }).click();
  await dialog.getByText("The service no longer knows this key.").waitFor();
  await expectAccessible(page);
  // The console has signed out beneath it.
  await page.getByLabel("API key").waitFor();
  await dialog.getByText("0 of 1 order placed.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
});

test("orders that are placed after going back are seen in the list that is then shown", async () => {
  const { page } = await openConsole(browser, service);
  await page.setViewportSize(WIDE.viewport);
  const order = async (id: string) => {
    await page.getByRole("checkbox", { name: `Choose animal ${id}`, exact: true }).check();
    await page.getByRole("button", { name: "Order them" }).click();
    const dialog = page.getByRole("dialog", { name: "Order 1 animal" });
    await dialog.waitFor();
    await page.goBack();
    return async () => {
      await dialog.getByRole("button", { name: "Place 1 order" }).click();
      await dialog.getByText("1 of 1 order placed. Done.").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
    };
  };
  const filter = (status: string) => page.getByText(status, { exact: true }).click();
  const rows = page.locator(".items tbody tr");
  const [first = "", second = ""] = (
    (await (await service.call("/v1/pets?status=available")).json()) as { id: number }[]
  ).map(({ id }) => String(id));
  await rows.first().waitFor();
  await filter("Sold");
  await page.getByRole("checkbox", { name: "Choose animal 6", exact: true }).waitFor();
  await filter("Available");
  const place = await order(first);
  await page.waitForURL("**/?status=sold");
  const isListed = page.waitForResponse("**/v1/pets?limit=20&status=sold&sort=-id");
  await place();
  await (await isListed).finished();
  await until(async () => (await page.locator(".items[aria-busy=true]").count()) === 0);
  expect(await rows.locator(".name").allInnerTexts()).toEqual(["Mia"]);

  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await page.locator(".orders .name").getByText(first, { exact: true }).waitFor();
  await page.getByRole("link", { name: "Animals", exact: true }).click();
  const placeAnother = await order(second);
  await page.locator(".orders").waitFor();
  expect(await page.locator(".orders .name").getByText(second, { exact: true }).count()).toBe(0);
  await placeAnother();
  await page.locator(".orders .name").getByText(second, { exact: true }).waitFor();
});

test("the bar of what is chosen stays away if its script comes when another list is shown", async () => {
  const { page } = await openConsole(browser, service);
  await page.setViewportSize(WIDE.viewport);
  const held = Promise.withResolvers<void>();
  await page.route(/\/dialogs[^/]*\.js/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const script = page.waitForResponse(/\/dialogs[^/]*\.js/);
  await page.getByRole("checkbox", { name: "Choose animal 5", exact: true }).check();
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await page.locator(".empty, table.orders").waitFor();
  held.resolve();
  await (await script).finished();
  // The other list's dialog is of the same script, which has then run.
  await page.locator(".more-menu > summary").click();
  await page.getByRole("button", { name: "Export as CSV" }).click();
  await page.getByRole("dialog").waitFor();
  expect(await page.locator(".selection").count()).toBe(0);
});

test("low rows show more of a list, and stay low in this browser", async () => {
  const { page } = await openConsole(browser, service);
  await page.setViewportSize(WIDE.viewport);
  const height = async () => (await page.locator(".items tbody tr").last().boundingBox())?.height ?? 0;
  await page.locator(".items tbody tr").first().waitFor();
  const before = await height();
  await page.locator(".more-menu > summary").click();
  await page.getByLabel("Low rows").check();
  await expectAccessible(page);
  const after = await height();
  expect(after).toBeLessThan(before * 0.8);
  await page.reload();
  await page.locator(".items tbody tr").first().waitFor();
  expect(await height()).toBe(after);
});
