import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole, tabTo, unexpected } from "../../test/browser/console.ts";
import { type Service, startService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

async function start(): Promise<Service> {
  const service = await startService();
  for (const name of ["Rex", "Mia", "Zoe"]) await service.create(JSON.stringify({ name, categoryId: 7 }));
  const headers = { "content-type": "application/json" };
  for (const id of [1, 2])
    await service.call("/v1/orders", { method: "POST", headers, body: `{"petId":${id}}` });
  return service;
}

const panel = (page: Page) => page.getByRole("dialog");
const title = (page: Page, name: string) => panel(page).getByRole("heading", { name, exact: true });

test("an animal opens next to the list, which can still be used, and the neighbours follow by buttons", async () => {
  await using service = await start();
  const visit = await openConsole(browser, service);
  const { page } = visit;
  const link = (name: string) => page.locator(".items").getByRole("link", { name });
  await link("Rex").click();
  await title(page, "Rex").waitFor();
  expect(new URL(page.url()).search).toBe("?animal=1");
  const [table, box] = await Promise.all([page.locator(".items").boundingBox(), panel(page).boundingBox()]);
  expect((table?.x ?? 0) + (table?.width ?? 0)).toBeLessThanOrEqual(box?.x ?? 0);
  const [first = "", second = ""] = await page.locator(".items .name").allInnerTexts();
  await link(first).click();
  await title(page, first).waitFor();
  expect(await panel(page).getByRole("button", { name: "Previous" }).isDisabled()).toBe(true);
  expect(await panel(page).locator(".panel-bar").innerText()).toBe("1 of 3");
  await panel(page).getByRole("button", { name: "Next" }).click();
  await title(page, second).waitFor();
  await panel(page).getByRole("button", { name: "Previous" }).click();
  await title(page, first).waitFor();
  await expectAccessible(page);
  await page.goBack();
  await panel(page).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("");
  expect(unexpected(visit)).toEqual([]);
});

test("next to an open order the table of orders has room in a small window", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { path: "/?view=orders&order=1" });
  await title(page, "Order 1").waitFor();
  for (const width of [1000, 1024, 1120, 1440]) {
    await page.setViewportSize({ width, height: 768 });
    const overflow =
      "((list) => list.scrollWidth - list.clientWidth)(document.querySelector('.scroll:has(.orders)'))";
    await until(async () => (await page.evaluate(overflow)) === 0);
  }
});

test("what is open says where it is in the list, and that there are other pages", async () => {
  await using service = await start();
  for (let n = 4; n <= 21; n++) await service.create(`{"name":"Animal ${n}","categoryId":7}`);
  const { page } = await openConsole(browser, service, { path: "/?animal=21" });
  const place = panel(page).locator(".panel-bar");
  await place.getByText("1 of 20 on this page", { exact: true }).waitFor();
  await page.goto(`${service.address}/?animal=21&limit=50`);
  await place.getByText("1 of 21", { exact: true }).waitFor();
});

test("a name of 255 characters leaves room: two lines of its order, and one of the latest changes", async () => {
  await using service = await start();
  await service.store.recordEvents(true);
  const { page } = await openConsole(browser, service, { path: "/?view=orders" });
  await page.locator(".feed-state.connected").waitFor();
  for (const [at, name] of ["a".repeat(255), "W ".repeat(127), "שלום ".repeat(51)].entries()) {
    const id = at + 4;
    await service.create(JSON.stringify({ name, categoryId: 7 }));
    await service.call("/v1/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"petId":${id}}`,
    });
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${service.address}/?view=orders&order=${id - 1}`);
      const link = panel(page).locator(".facts dd").first();
      await link.getByRole("link").waitFor();
      const { height = 99 } = (await link.boundingBox()) ?? {};
      expect([name, width, height < 52 || height]).toEqual([name, width, true]);
      const hidden = await panel(page).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect([name, width, hidden]).toEqual([name, width, 0]);
    }
  }
  await page.goto(service.address);
  await page.locator(".feed-state.connected").waitFor();
  await service.create(JSON.stringify({ name: "a".repeat(255), categoryId: 7 }));
  await page.locator(".feed > summary").click();
  const change = page.locator(".feed-list li").first();
  await change.getByRole("button").waitFor();
  expect((await change.boundingBox())?.height ?? 99).toBeLessThan(40);
});

test("an Escape closes what is open as soon as it is there, and a second one leaves nothing else", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await page.getByText("Pending", { exact: true }).click();
  await page.getByText("2 animals, ids 2 to 1").waitFor();
  const link = page.locator(".items").getByRole("link", { name: "Rex" });
  // Both keys are there before the browser draws, and before it has gone back.
  await page.evaluate(`(async () => {
    const link = document.querySelector(".items a[href*='animal=1']");
    link.focus();
    link.click();
    while (!document.querySelector("dialog")) await Promise.resolve();
    const escape = () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    escape();
    escape();
  })()`);
  await panel(page).waitFor({ state: "detached" });
  await page.evaluate("new Promise(requestAnimationFrame)");
  expect(new URL(page.url()).search).toBe("?status=pending");
  expect(await link.evaluate((element) => element.matches(":focus"))).toBe(true);
});

test("a filter that is chosen while an animal is open stays when it is closed", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await page.locator(".items").getByRole("link", { name: "Rex" }).click();
  await title(page, "Rex").waitFor();
  await page.getByText("Pending", { exact: true }).click();
  await page.getByText("2 animals, ids 2 to 1").waitFor();
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?status=pending");
});

test("each row of animals is one stop of the keyboard", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await page.locator(".animals tbody tr").nth(2).waitFor();
  const stops = await page.evaluate<number[]>(`[...document.querySelectorAll(".animals tbody tr")]
    .map((row) => [...row.querySelectorAll("a, button, [tabindex]")])
    .map((elements) => elements.filter((each) => each.checkVisibility() && each.tabIndex >= 0).length)`);
  expect(stops).toEqual([1, 1, 1]);
});

test("the name of an animal is a link that opens in a tab of its own", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  const link = page.locator(".items").getByRole("link", { name: "Mia" });
  expect(await link.getAttribute("href")).toBe("?animal=2");
  // The driver now and then waits for ever for a tab that a click opens, so what the browser would do is prevented.
  const isLeftToBrowser = page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const note = (event: Event) => {
          resolve(!event.defaultPrevented);
          event.preventDefault();
        };
        addEventListener("click", note, { once: true });
      }),
  );
  await link.click({ modifiers: ["ControlOrMeta"] });
  expect(await isLeftToBrowser).toBe(true);
  expect(await panel(page).count()).toBe(0);
});

test("an order has an address, a timeline and its next steps, and leads to its animal", async () => {
  await using service = await start();
  const visit = await openConsole(browser, service, { path: "/?view=orders&order=1" });
  const { page } = visit;
  await title(page, "Order 1").waitFor();
  const current = panel(page).locator(".timeline [aria-current]");
  expect(await current.innerText()).toContain("Placed");
  await panel(page).getByRole("button", { name: "Approve" }).click();
  await current.getByText("Approved").waitFor();
  expect(await panel(page).locator(".timeline .ahead").innerText()).toContain("not yet");
  await page.locator(".orders tr[aria-current] .state-label.approved").waitFor();
  await expectAccessible(page);
  await expectToFit(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await panel(page)
    .getByRole("button", { name: /^(Previous|Next)/, disabled: false })
    .first()
    .click();
  await title(page, "Order 2").waitFor();
  await panel(page).getByRole("link", { name: "Mia" }).click();
  await title(page, "Mia").waitFor();
  // Its address is of the animal alone.
  expect(page.url()).not.toContain("order=");
  expect(unexpected(visit)).toEqual([]);
});

test("an animal shows the way of its open order, its next step as the first thing to do, and leads to it", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { path: "/?animal=2" });
  await panel(page).locator(".timeline [aria-current]").getByText("Placed").waitFor();
  expect(await panel(page).locator(".button.primary").allInnerTexts()).toEqual(["Approve"]);
  await panel(page).getByRole("link", { name: "Order 2" }).click();
  await title(page, "Order 2").waitFor();
  expect(new URL(page.url()).search).toBe("?view=orders&order=2");
});

test("an order that does not exist is said so, without another attempt", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { path: "/?view=orders&order=77" });
  await title(page, "Order 77 cannot be shown").waitFor();
  expect(await panel(page).getByRole("button", { name: "Try again" }).count()).toBe(0);
  await expectAccessible(page);
});

test("on a phone what is open is a sheet above the list, as tall as it needs to be, and the keyboard stays in it until it is closed", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await page.locator(".items").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator(".items tbody tr").first().click();
  await panel(page).and(page.locator(":modal")).waitFor();
  // It may still be sliding in, which these do not count.
  const { width, top, bottom } = await page.evaluate<Record<"width" | "top" | "bottom", number>>(
    `(({ offsetWidth: width, offsetTop: top, offsetHeight: height }) => ({ width, top, bottom: top + height }))(
      document.querySelector(".panel"),
    )`,
  );
  expect([width, bottom]).toEqual([390, 844]);
  expect(top).toBeGreaterThanOrEqual(844 / 4);
  await tabTo(page, panel(page).getByRole("button", { name: "Close" }));
  await page.keyboard.press("Enter");
  await panel(page).waitFor({ state: "detached" });
  await page.locator(".items tbody tr").first().click();
  await panel(page).waitFor();
  await page.mouse.click(195, 60);
  await panel(page).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("");
});

test("a time of today is told by how long ago it was", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { path: "/?view=orders" });
  const time = page.locator(".orders time").first();
  await time.getByText("just now").waitFor();
  await page.clock.setFixedTime(Date.now() + 5.5 * 60_000);
  await page.reload();
  await time.getByText("5 min ago").waitFor();
});

test("at 320 pixels the header has one line, and each target is tall enough for a finger", async () => {
  await using service = await start();
  for (const path of ["/", "/?view=orders"]) {
    const { page } = await openConsole(browser, service, { path });
    await page.locator(".items").waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    expect((await page.locator(".console-bar").boundingBox())?.height).toBeLessThan(64);
    const small = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll(".console-bar :is(a, summary), .toolbar :is(button, summary), .items a")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 24)
      .map((element) => element.outerHTML)`);
    expect(small).toEqual([]);
  }
});
