import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole } from "../../test/browser/console.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { startSandbox } from "../../test/support/sandbox.ts";
import { type Service, type ServiceOptions, startService } from "../../test/support/service.ts";
import { belowPaths } from "./below-a-path.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** A service that offers everything and records its changes, with two animals. */
async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  await service.store.recordEvents(true);
  for (const name of ["Rex", "Mia"]) await service.create(JSON.stringify({ name, categoryId: 7 }));
  return service;
}

async function place(service: Service, petId: number): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await service.call("/v1/orders", { method: "POST", headers, body: `{"petId":${petId}}` });
  expect(response.status).toBe(201);
}

async function approve(service: Service, id: number): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = '{"status":"approved"}';
  const response = await service.call(`/v1/orders/${id}`, { method: "PATCH", headers, body });
  expect(response.status).toBe(200);
}

const live = (page: Page) => page.locator(".feed-state.connected");
const rows = (page: Page) => page.locator(".items tbody tr");

test("the record of requests shows the stream as a curl line that prints events at once", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await live(page).waitFor();
  await page.locator(".requests > details > summary").click();
  const stream = page.locator(".requests pre").filter({ hasText: "text/event-stream" });
  expect(await stream.innerText()).toStartWith(`curl -N '${service.address}/v1/events?`);
});

test("a change that arrives while an older page is loading is shown", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await live(page).waitFor();
  await rows(page).first().waitFor();
  await page.route(
    "**/v1/pets?*",
    async (route) => {
      const older = await route.fetch();
      await place(service, 1);
      await page.locator(".feed-latest").getByText("Rex").waitFor();
      await route.fulfill({ response: older });
    },
    { times: 1 },
  );
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.locator('.items[aria-busy="true"]').waitFor();
  await page.locator('.items[aria-busy="false"]').waitFor();
  expect(await rows(page).nth(1).locator(".state-label").innerText()).toStartWith("pending");
});

test("a change between the first page and the beginning of the feed is shown", async () => {
  await using service = await start();
  const { page } = await browser.open(`${service.address}/?animal=1`);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/v1/events?*", async (route) => {
    await promise;
    await route.continue();
  });
  await page.getByLabel("API key").fill(service.key);
  await page.keyboard.press("Enter");
  await rows(page).first().locator(".state-label.available").waitFor();
  await page.getByText("This animal has no orders").waitFor();
  await place(service, 1);
  resolve();
  await rows(page).nth(1).locator(".state-label.pending").waitFor();
  await page.locator(".order-list .state-label.placed").waitFor();
});

test("a feed that begins while too many requests were made asks for the list no earlier", async () => {
  await using service = await start();
  const { page } = await browser.open(`${service.address}/`);
  const { promise: begun, resolve: beginFeed } = Promise.withResolvers<void>();
  await page.route("**/v1/events?*", (route) => begun.then(() => route.continue()), { times: 1 });
  await page.getByLabel("API key").fill(service.key);
  await page.keyboard.press("Enter");
  await rows(page).first().waitFor();
  let attempts = 0;
  await page.route("**/v1/pets?*", (route) =>
    ++attempts === 1 ? route.fulfill({ status: 429, headers: { "Retry-After": "3600" } }) : route.continue(),
  );
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("Trying again in 60 min").waitFor();
  beginFeed();
  await live(page).waitFor();
  await service.create(JSON.stringify({ name: "Late", categoryId: 7 }));
  await page.getByRole("link", { name: "Late", exact: true }).waitFor();
  expect(attempts).toBe(1);
  await page.getByRole("button", { name: "Try now" }).click();
  await page.locator(".arrived").waitFor({ state: "detached" });
  expect(attempts).toBe(2);
});

test("an animal that is open and the table of orders follow, too", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { path: "/?view=orders" });
  await page.getByRole("heading", { name: "No orders yet" }).waitFor();
  await live(page).waitFor();
  await place(service, 1);
  await rows(page).first().getByText("Rex").waitFor();
  await approve(service, 1);
  await rows(page).first().locator(".state-label.approved").waitFor();
  await page.getByRole("link", { name: "Animal 2" }).waitFor({ state: "detached" });
  await page.goto(`${service.address}/?animal=2`);
  await page.getByText("This animal has no orders").waitFor();
  await live(page).waitFor();
  await place(service, 2);
  await page.locator(".order-list .state-label.placed").waitFor();
  await page.locator(".facts .state-label.pending").waitFor();
});

test("only what matches the filter arrives", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { path: "/?view=orders&pet=2" });
  await live(page).waitFor();
  await place(service, 1);
  await place(service, 2);
  await rows(page).first().getByText("Mia").waitFor();
  expect(await rows(page).count()).toBe(1);
  await page.goto(`${service.address}/?status=sold`);
  await live(page).waitFor();
  await service.create('{"name":"Zoe","categoryId":7}');
  await service.create('{"name":"Kim","categoryId":7,"status":"sold"}');
  await rows(page).first().getByText("Kim").waitFor();
  expect(await rows(page).count()).toBe(1);
});

test("what is new is counted on an older page and below the pointer, and Refresh shows it at the top", async () => {
  await using service = await start();
  for (let n = 3; n <= 25; n++) await service.create(`{"name":"Animal ${n}","categoryId":7}`);
  const { page } = await openConsole(browser, service);
  await live(page).waitFor();
  const refresh = page.getByRole("button", { name: "Refresh 1 new" });
  await rows(page).nth(1).hover();
  const before = await rows(page).nth(1).boundingBox();
  await service.create('{"name":"Zoe","categoryId":7}');
  await refresh.waitFor();
  expect(await rows(page).nth(1).boundingBox()).toEqual(before);
  await refresh.click();
  await rows(page).first().getByText("Zoe").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("6 animals, ids 6 to 1").waitFor();
  await page.mouse.move(0, 0);
  await service.create('{"name":"Kim","categoryId":7}');
  await refresh.click();
  await rows(page).first().getByText("Kim").waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("new animals slide in at the top, the newest first, and the others make room", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await live(page).waitFor();
  await rows(page).first().waitFor();
  await page.evaluate(`{
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, options) {
      window.slide = frames.translate[0];
      return animate.call(this, frames, options);
    };
  }`);
  const row = await rows(page).first().boundingBox();
  await service.create('{"name":"Zoe","categoryId":7}');
  await rows(page).nth(2).waitFor();
  await service.create('{"name":"Kim","categoryId":7}');
  await rows(page).nth(3).waitFor();
  expect(await page.locator(".animals .name").allInnerTexts()).toEqual(["Kim", "Zoe", "Mia", "Rex"]);
  expect(await page.locator(".animals tbody .arrived").count()).toBe(2);
  expect(Number.parseFloat((await page.evaluate<string>("slide")).slice(2))).toBeCloseTo(
    -(row?.height ?? 0),
    -1,
  );
});

test("the latest change is told whole where there is room, and its coming moves nothing", async () => {
  await using service = await start();
  await place(service, 1);
  for (const [view, width] of [
    ["/", 1440],
    ["/?view=orders&status=open", 1440],
    ["/?view=orders&status=open", 1100],
  ] as const) {
    const { page } = await openConsole(browser, service, { path: view });
    await page.setViewportSize({ width, height: 900 });
    await live(page).waitFor();
    await rows(page).first().waitFor();
    const before = await page.locator("main .scroll").boundingBox();
    const name = "Theodora of the Long Meadow, the Second";
    await service.create(JSON.stringify({ name, categoryId: 7, status: "sold" }));
    const latest = page.locator(".feed-latest");
    await latest.getByText(name).waitFor();
    const cut = await latest.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect([view, width, cut > 0]).toEqual([view, width, width < 1440]);
    expect((await page.locator("main .scroll").boundingBox())?.y).toBe(before?.y);
  }
});

test("a stream that breaks continues where it ended, and misses nothing", async () => {
  await using service = await start();
  await using proxy = await startProxy(Number(new URL(service.address).port));
  const { page } = await openConsole(browser, { ...service, address: `http://127.0.0.1:${proxy.port}` });
  await live(page).waitFor();
  await place(service, 1);
  await rows(page).nth(1).locator(".state-label.pending").waitFor();
  // The next event never arrives: the connection is cut in its place.
  let cuts = 0;
  proxy.interference = {
    toClient: (data) => (data.includes("event: order.placed") && cuts++ === 0 ? "cut" : undefined),
  };
  await place(service, 2);
  await page.locator(".feed-state.reconnecting").waitFor();
  await expectAccessible(page);
  await rows(page).first().locator(".state-label.pending").waitFor();
  await live(page).waitFor();
  expect(cuts).toBe(2);
  // Each change of the animals and of the orders once.
  await page.locator(".feed-list li").nth(3).waitFor({ state: "attached" });
  expect(await page.locator(".feed-list li").count()).toBe(4);
});

test("the stream ends when the browser goes offline, and continues when it is back", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await live(page).waitFor();
  await page.context().setOffline(true);
  await page.locator(".feed-state.reconnecting").click();
  await page.getByText("refresh to see changes").waitFor();
  await place(service, 1);
  await page.context().setOffline(false);
  await live(page).waitFor();
  await rows(page).nth(1).locator(".state-label.pending").waitFor();
});

test("a failure that the client does not retry delays the feed, and loses nothing", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await live(page).waitFor();
  await page.context().setOffline(true);
  await page.locator(".feed-state.reconnecting").waitFor();
  await place(service, 1);
  await page.route(
    "**/v1/events?*",
    (route) => route.fulfill({ status: 500, contentType: "text/html", body: "<h1>Internal error</h1>" }),
    { times: 1 },
  );
  await page.context().setOffline(false);
  await live(page).waitFor();
  await rows(page).nth(1).locator(".state-label.pending").waitFor();
  await page.locator(".requests > details > summary").click();
  expect(await page.locator(".requests li").filter({ hasText: "500" }).count()).toBe(1);
});

test("a stream that is refused at its beginning is asked for after pauses, and then followed", async () => {
  await using service = await start();
  const { page } = await browser.open(`${service.address}/`);
  let refusals = 0;
  await page.route("**/v1/events?*", (route) => {
    if (route.request().headers().accept !== "text/event-stream") return route.continue();
    refusals++;
    return route.fulfill({ status: 400, contentType: "text/html", body: "<h1>Bad request</h1>" });
  });
  await page.getByLabel("API key").fill(service.key);
  await page.keyboard.press("Enter");
  await page.locator(".feed-state.reconnecting").waitFor();
  await page.unrouteAll();
  await live(page).waitFor();
  // Without a pause there would be hundreds.
  expect(refusals).toBeLessThan(10);
  await page.getByText("Changes were missed: refresh").waitFor();
  await place(service, 1);
  await rows(page).nth(1).locator(".state-label.pending").waitFor();
});

test("a proxy that refuses the feed is reported as such", async () => {
  await using service = await start();
  const { page } = await browser.open(`${service.address}/`);
  const page403 = { status: 403, contentType: "text/html", body: "<h1>Forbidden</h1>" };
  await page.route("**/v1/events?*", (route) => route.fulfill(page403));
  await page.getByLabel("API key").fill(service.key);
  await page.keyboard.press("Enter");
  await page.locator(".feed-state.refused").waitFor();
  await page.locator(".feed summary").click();
  expect(await page.locator(".feed .callout").innerText()).toEndWith(
    " Something between this page and the service answered with the status 403.",
  );
});

test("the feed is followed where a proxy serves the service below a path of its own", async () => {
  await using service = await start();
  using proxy = belowPaths({ store: service });
  const { page } = await openConsole(browser, { ...service, address: proxy.addressOf("store") });
  await live(page).waitFor();
  await place(service, 1);
  await rows(page).nth(1).locator(".state-label.pending").waitFor();
});

test("changes that the service no longer keeps are known to be missing, until the page is loaded again", async () => {
  await using service = await start();
  await using proxy = await startProxy(Number(new URL(service.address).port));
  const visit = await openConsole(browser, { ...service, address: `http://127.0.0.1:${proxy.port}` });
  const { page } = visit;
  await live(page).waitFor();
  await rows(page).first().waitFor();
  // The connection is cut in place of the event, and the next one is made when the event has been deleted.
  const { promise: isDeleted, resolve } = Promise.withResolvers<void>();
  await page.route("**/v1/events?*", async (route) => {
    await isDeleted;
    await route.continue();
  });
  proxy.interference = { toClient: (data) => (data.includes("event: order.placed") ? "cut" : undefined) };
  await place(service, 1);
  await page.locator(".feed-state.reconnecting").waitFor();
  proxy.interference = {};
  while ((await service.store.deleteExpiredEvents(Date.now() + 60_000)) > 0);
  resolve();
  const notice = page.getByText("Changes were missed: refresh");
  await live(page).filter({ has: notice }).waitFor();
  expect(await rows(page).nth(1).locator(".state-label").innerText()).toBe("available");
  await expectAccessible(page);
  await expectToFit(page);
  await page.getByRole("button", { name: "Refresh" }).click();
  await rows(page).nth(1).locator(".state-label.pending").waitFor();
  expect(await notice.count()).toBe(0);
  // It follows again from here.
  await place(service, 2);
  await rows(page).first().locator(".state-label.pending").waitFor();
});

test("another store in place of the first, as after a sandbox's reset, is followed too", async () => {
  await using sandbox = await startSandbox();
  const { page } = await openConsole(browser, sandbox);
  const create = (name: string) => {
    const headers = { "content-type": "application/json" };
    return sandbox.call("/v1/pets", {
      method: "POST",
      headers,
      body: JSON.stringify({ name, categoryId: 7 }),
    });
  };
  await live(page).waitFor();
  await create("Zoe");
  await page.locator(".feed-latest").getByText("Zoe").waitFor();
  await sandbox.control("POST", "/reset");
  await page.getByText("Changes were missed: refresh").waitFor();
  await live(page).waitFor();
  await create("Max");
  await page.locator(".feed-latest").getByText("Max").waitFor();
});

test("a key without the scope for events shows the stock and a message about the scope", async () => {
  await using service = await start();
  const { key } = await service.issueKey(["pets:read", "orders:read"]);
  const { page } = await openConsole(browser, service, { key });
  await page.locator(".feed-state.refused").waitFor();
  await page.locator(".feed summary").click();
  await page.locator(".feed").getByText("events:read").waitFor();
  expect(await rows(page).count()).toBe(2);
  await expectAccessible(page);
});

test("a key that is revoked meanwhile leads back to the request for a key", async () => {
  await using service = await start();
  const { id, key } = await service.issueKey();
  const { page } = await openConsole(browser, service, { key });
  await live(page).waitFor();
  await service.store.revokeKey(id, Date.now());
  await page.getByText("The service refused this key").waitFor();
});

test("the key is in no address, and nothing moves for a user who prefers reduced motion", async () => {
  await using service = await start();
  const { page } = await browser.open(`${service.address}/`, { reducedMotion: "reduce" });
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  await page.getByLabel("API key").fill(service.key);
  await page.keyboard.press("Enter");
  await live(page).waitFor();
  await place(service, 1);
  await page.locator(".changed").waitFor();
  expect(await page.evaluate("document.getAnimations().length")).toBe(0);
  expect(addresses.filter((address) => address.includes("/events")).length).toBeGreaterThan(1);
  expect(addresses.filter((address) => address.includes(service.key))).toEqual([]);
});

test("a service that offers no feed shows none", async () => {
  await using service = await start({ operations: operationsOffered("beta") });
  const { page } = await openConsole(browser, service);
  await rows(page).first().waitFor();
  expect(await page.locator(".feed").count()).toBe(0);
});
