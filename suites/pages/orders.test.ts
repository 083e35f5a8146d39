import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole, signIn, tabTo, unexpected } from "../../test/browser/console.ts";
import { type Service, type ServiceOptions, startService } from "../../test/support/service.ts";
import { untilStatus } from "../../test/support/until.ts";
import { NAME_EDGES } from "./name-edges.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** A service that offers orders, with two animals. */
async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ operations: operationsOffered("beta"), ...options });
  for (const name of ["Rex", "Mia"]) await service.create(JSON.stringify({ name, categoryId: 7 }));
  return service;
}

async function place(service: Service, petId: number): Promise<string> {
  const headers = { "content-type": "application/json" };
  const response = await service.call("/v1/orders", { method: "POST", headers, body: `{"petId":${petId}}` });
  expect(response.status).toBe(201);
  return String(((await response.json()) as { id: number }).id);
}

async function update(service: Service, id: string, status: string): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const body = JSON.stringify({ status });
  expect((await service.call(`/v1/orders/${id}`, { method: "PATCH", headers, body })).status).toBe(200);
}

const rows = (page: Page) => page.locator(".orders tbody tr");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");
/** An order with a status, in the dialog. */
const order = (page: Page, status: string) => dialog(page).locator(`.order-list .state-label.${status}`);

describe("an animal", () => {
  test("whose order is cancelled is available again, after a question", async () => {
    await using service = await start();
    await place(service, 1);
    const { page } = await openConsole(browser, service, { path: "/?animal=1" });
    await button(page, "Cancel").click();
    await button(page, "Back").click();
    await button(page, "Cancel").click();
    await button(page, "Cancel it").click();
    await order(page, "cancelled").waitFor();
    await button(page, "Place an order").click();
    await order(page, "placed").waitFor();
    expect(await dialog(page).locator(".order-list > li").count()).toBe(2);
  });

  test("that another client orders first is refused with the service's message, and shown as it is now", async () => {
    await using service = await start();
    const { page } = await openConsole(browser, service, { path: "/?animal=1" });
    await button(page, "Place an order").waitFor();
    await place(service, 1);
    await button(page, "Place an order").click();
    await dialog(page).locator(".animal-orders > .fault").getByText("pending").waitFor();
    await order(page, "placed").waitFor();
    await dialog(page).locator(".facts .state-label", { hasText: "pending" }).waitFor();
    await expectAccessible(page);
  });

  test("cannot be ordered while the store is unavailable, and can be afterwards", async () => {
    await using service = await start();
    const { page } = await openConsole(browser, service, { path: "/?animal=1" });
    await button(page, "Place an order").waitFor();
    {
      await using _ = await service.database.breakDown();
      await button(page, "Place an order").click();
      await dialog(page).locator(".fault", { hasText: "it cannot use its store at the moment" }).waitFor();
      await expectAccessible(page);
    }
    await untilStatus(() => service.create('{"name":"Zoe","categoryId":7}'), 201);
    await button(page, "Place an order").click();
    await order(page, "placed").waitFor();
  });

  test("shows an order that is placed after the list of orders failed to load", async () => {
    await using service = await start();
    const visit = await browser.open(service.address);
    await visit.page.route("**/v1/orders?petId=2&*", (route) => route.abort(), { times: 1 });
    await signIn(visit.page, service.key);
    await visit.page.getByRole("link", { name: "Mia" }).click();
    await dialog(visit.page).getByText("The orders could not be loaded.").waitFor();
    await button(visit.page, "Place an order").click();
    await order(visit.page, "placed").waitFor();
    expect(await dialog(visit.page).getByText("The orders could not be loaded.").count()).toBe(0);
  });

  test("is ordered once, also when the first response is lost", async () => {
    await using service = await start();
    const { page } = await openConsole(browser, service, { path: "/?animal=1" });
    await button(page, "Place an order").waitFor();
    await page.route(
      "**/v1/orders",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await button(page, "Place an order").click();
    await dialog(page).getByText("No response came. Try again").waitFor();
    await button(page, "Place an order").click();
    await order(page, "placed").waitFor();
    expect(await dialog(page).locator(".fault").allInnerTexts()).toEqual([]);
    expect(await (await service.call("/v1/orders")).json()).toHaveLength(1);
  });
});

describe("a console whose key lacks a scope:", () => {
  test("without orders:write orders are shown, and no change of them is offered", async () => {
    await using service = await start();
    await place(service, 1);
    const { key } = await service.issueKey(["pets:read", "orders:read"]);
    const { page } = await openConsole(browser, service, { key, path: "/?view=orders" });
    await page.getByText("This key may not change orders.").waitFor();
    expect(await page.locator("#may-not-order").innerText()).toContain("orders:write");
    for (const name of ["Approve", "Cancel"])
      expect([name, await button(page, name).count()]).toEqual([name, 0]);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Animals", exact: true }).click();
    await page.getByRole("link", { name: "Mia" }).click();
    await dialog(page).getByText("This key may not place or change orders.").waitFor();
    expect(await button(page, "Place an order").count()).toBe(0);
    await expectAccessible(page);
  });

  test("without orders:read an animal is shown, and its orders are not", async () => {
    await using service = await start();
    const { key } = await service.issueKey(["pets:read"]);
    const { page } = await openConsole(browser, service, { key, path: "/?animal=1" });
    await dialog(page).getByText("This key may not see orders.").waitFor();
    await expectAccessible(page);
    await button(page, "Close").click();
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("heading", { name: "This key may not do that" }).waitFor();
    await page.getByText("orders:read").waitFor();
  });
});

describe("the table of orders", () => {
  test("filters by status and by animal, and pages by the service's links", async () => {
    await using service = await start();
    for (let n = 0; n < 24; n++) await update(service, await place(service, 1), "cancelled");
    await place(service, 2);
    const visit = await openConsole(browser, service, { path: "/?view=orders" });
    const { page } = visit;
    await page.getByText("20 orders, ids 25 to 6").waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await button(page, "Next").click();
    await page.getByText("5 orders, ids 5 to 1").waitFor();
    await page.getByText("Placed", { exact: true }).first().click();
    await page.getByText("1 order, ids 25 to 25").waitFor();
    await page.getByLabel("Orders of animal").fill("1");
    await page.keyboard.press("Enter");
    await page.getByText("No placed orders of animal 1").waitFor();
    await expectAccessible(page);
    await page.goBack();
    await page.getByText("1 order, ids 25 to 25").waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByText("20 orders, ids 25 to 6").waitFor();
    expect(unexpected(visit)).toEqual([]);
  });

  test("opens an order's animal, with the latest of its orders and a way to all of them", async () => {
    await using service = await start();
    for (let n = 0; n < 7; n++) await update(service, await place(service, 1), "cancelled");
    const { page } = await openConsole(browser, service, { path: "/?view=orders" });
    await rows(page).first().getByText("Rex").waitFor();
    await page.getByRole("link", { name: "Animal 1" }).first().click();
    await dialog(page).getByRole("heading", { name: "Rex" }).waitFor();
    await page.getByRole("link", { name: "All 7 orders of this animal" }).click();
    await page.getByText("7 orders, ids 7 to 1").waitFor();
    expect(new URL(page.url()).search).toBe("?view=orders&pet=1");
    expect(await page.title()).toBe("Orders of animal 1: Animal Store (production)");
  });

  test("does nothing to an order that has changed since it was shown, though the step is possible", async () => {
    await using service = await start();
    const id = await place(service, 1);
    const { page } = await openConsole(browser, service, { path: "/?view=orders" });
    await button(page, "Cancel").waitFor();
    await update(service, id, "approved");
    await button(page, "Cancel").click();
    await button(page, "Cancel it").click();
    await rows(page).first().locator(".state-label.approved").waitFor();
    await rows(page).first().locator(".fault").getByText("nothing was done").waitFor();
    expect(await (await service.call(`/v1/orders/${id}`)).json()).toMatchObject({ status: "approved" });
    await expectAccessible(page);
  });

  test("does nothing to an order that changes at the moment of the step", async () => {
    await using service = await start();
    const id = await place(service, 1);
    const { page } = await openConsole(browser, service, { path: "/?view=orders" });
    await page.route(`**/v1/orders/${id}`, async (route) => {
      if (route.request().method() === "PATCH") await update(service, id, "approved");
      await route.continue();
    });
    await button(page, "Cancel").click();
    await button(page, "Cancel it").click();
    await rows(page).first().locator(".state-label.approved").waitFor();
    await rows(page).first().locator(".fault").getByText("nothing was done").waitFor();
    expect(await (await service.call(`/v1/orders/${id}`)).json()).toMatchObject({ status: "approved" });
  });

  test("takes one step for each time a button is pressed, by keyboard alone", async () => {
    await using service = await start();
    const id = await place(service, 1);
    const { page } = await openConsole(browser, service, { path: "/?view=orders" });
    await tabTo(page, button(page, "Approve"));
    await page.keyboard.press("Enter");
    await rows(page).first().getByText("approved", { exact: true }).waitFor();
    // The button is gone. The focus is still on this order, and pressing again must not deliver it.
    await page.locator(':focus[aria-label="Order 1"]').waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    expect(await rows(page).first().getByText("Deliver this order?").count()).toBe(0);
    await tabTo(page, button(page, "Deliver"));
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await rows(page).first().getByText("delivered", { exact: true }).waitFor();
    expect(await (await service.call(`/v1/orders/${id}`)).json()).toMatchObject({ status: "delivered" });
  });

  test("shows a step that was taken while an older page was loading", async () => {
    await using service = await start();
    await place(service, 1);
    const { page } = await openConsole(browser, service, { path: "/?view=orders" });
    await button(page, "Approve").waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(
      "**/v1/orders?*",
      async (route) => {
        const older = await route.fetch();
        await promise;
        // The browser may have given the request up.
        await route.fulfill({ response: older }).catch(() => {});
      },
      { times: 1 },
    );
    await button(page, "Refresh").click();
    await page.locator('.items[aria-busy="true"]').waitFor();
    await button(page, "Approve").click();
    await rows(page).first().locator(".state-label.approved").waitFor();
    resolve();
    await page.locator('.items[aria-busy="false"]').waitFor();
    expect(await rows(page).first().locator(".state-label").innerText()).toBe("approved");
  });

  test("shows on a phone each order whole, beside its menu", async () => {
    await using service = await start();
    await update(service, await place(service, 1), "cancelled");
    const { page } = await openConsole(browser, service, { path: "/?view=orders" });
    await page.setViewportSize({ width: 390, height: 844 });
    const row = rows(page).first();
    const menu = await row.locator(".row-menu-button").boundingBox();
    for (const text of await row.locator("time, .state-label, .link").all()) {
      const box = await text.boundingBox();
      const isBeside =
        box &&
        menu &&
        (box.x + box.width <= menu.x || box.y >= menu.y + menu.height || box.y + box.height <= menu.y);
      expect([await text.innerText(), isBeside]).toEqual([await text.innerText(), true]);
    }
  });

  test("says that there are none, and that the service cannot be reached", async () => {
    await using service = await start();
    const { page } = await openConsole(browser, service, { path: "/?view=orders" });
    await page.getByRole("heading", { name: "No orders yet" }).waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await page.context().setOffline(true);
    await button(page, "Refresh").click();
    await page.getByRole("heading", { name: "You are offline" }).waitFor();
  });
});

test("the link to the orders leads to a queue: placed orders, then approved ones, each newest first", async () => {
  await using service = await start({ operations: operationsOffered("experimental") });
  await service.store.recordEvents(true);
  for (let n = 3; n <= 23; n++) await service.create(`{"name":"Animal no. ${n}","categoryId":7}`);
  for (const petId of [1, 2, 3, 4, 5]) await place(service, petId);
  for (const id of ["1", "2", "3"]) await update(service, id, "approved");
  await update(service, "1", "delivered");
  await update(service, "4", "cancelled");
  const visit = await openConsole(browser, service);
  const { page } = visit;
  const ids = async () =>
    (await page.locator(".orders td:first-child").allInnerTexts()).map((text) => text.replace(/\D/g, ""));
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await page.getByText("3 orders, all that are open").waitFor();
  expect(new URL(page.url()).search).toBe("?view=orders&status=open");
  expect(await page.locator(".segments label").allInnerTexts()).toEqual([
    "Open",
    "All",
    "Placed",
    "Approved",
    "Delivered",
    "Cancelled",
  ]);
  expect(await ids()).toEqual(["5", "3", "2"]);
  await page.locator(".feed-state.connected").waitFor();
  // Its animal was never seen: another event of that moment has its name.
  await place(service, 23);
  await page.locator(".orders .arrived").getByText("Animal no. 23").waitFor();
  expect(await ids()).toEqual(["6", "5", "3", "2"]);
  // An order that takes a step stays where it is until the list is loaded again.
  await rows(page).first().getByRole("button", { name: "Approve" }).click();
  await rows(page).first().getByRole("button", { name: "Deliver" }).waitFor();
  await button(page, "Refresh").click();
  await page.locator(".orders .arrived").waitFor({ state: "detached" });
  expect(await ids()).toEqual(["5", "6", "3", "2"]);
  for (let petId = 6; petId <= 22; petId++) await place(service, petId);
  for (let n = 0; n < 4; n++) {
    await service.create(`{"name":"Later ${n}","categoryId":7}`);
    await place(service, 24 + n);
  }
  await button(page, "Refresh").click();
  await page.getByText("the newest of each status; filter by one to see all of it").waitFor();
  await expectAccessible(page);
  await expectToFit(page);
  expect(unexpected(visit)).toEqual([]);
});

test("a service without orders shows none, whatever the URL says", async () => {
  await using service = await start({ operations: operationsOffered("stable") });
  const { page } = await openConsole(browser, service, { path: "/?view=orders&animal=1" });
  await dialog(page).getByRole("heading", { name: "Rex" }).waitFor();
  expect(await page.getByText("Orders").count()).toBe(0);
  expect(await page.getByRole("heading", { name: "Animals" }).count()).toBe(1);
});

test("a page of orders has the names of all its animals, in one request, unless the key may not read animals", async () => {
  await using service = await startService();
  for (let id = 1; id <= 30; id++) {
    await service.create(JSON.stringify({ name: `Animal no. ${id}`, categoryId: 7 }));
    const headers = { "content-type": "application/json" };
    await service.call("/v1/orders", { method: "POST", headers, body: `{"petId":${id}}` });
  }
  const { page } = await openConsole(browser, service, { path: "/?view=orders&limit=50" });
  const names = page.locator(".orders .name bdi");
  await names.nth(29).waitFor();
  expect(await names.allInnerTexts()).toEqual(Array.from({ length: 30 }, (_, n) => `Animal no. ${30 - n}`));
  expect(service.answered.filter(({ path }) => path.startsWith("/v1/pets/"))).toEqual([]);
  const { key } = await service.issueKey(["orders:read"]);
  const { page: other } = await openConsole(browser, service, { path: "/?view=orders", key });
  await other.locator(".orders tbody tr").nth(19).waitFor();
  expect(await other.locator(".orders .name").first().innerText()).toBe("Animal 30");
});

test("each name begins at the left edge of its column, whatever its direction, and opens its animal", async () => {
  await using service = await startService();
  const names = ["Rex", "مرحبا قط", "שוקו"];
  for (const [at, name] of names.entries()) {
    await service.create(JSON.stringify({ name, categoryId: 7 }));
    const headers = { "content-type": "application/json" };
    await service.call("/v1/orders", { method: "POST", headers, body: `{"petId":${at + 1}}` });
  }
  const { page } = await openConsole(browser, service, { path: "/?view=orders" });
  const links = page.locator(".orders .name .link");
  await links.filter({ hasText: "שוקו" }).waitFor();
  const lefts = await page.evaluate<number[]>(NAME_EDGES);
  expect(lefts).toHaveLength(names.length);
  expect(new Set(lefts).size).toBe(1);
  await links.filter({ hasText: "Rex" }).click();
  await page.getByRole("dialog").getByRole("heading", { name: "Rex" }).waitFor();
});
