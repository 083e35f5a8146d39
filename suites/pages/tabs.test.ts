import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole } from "../../test/browser/console.ts";
import { type Service, startService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

/** More than the six connections that a browser opens to a host. */
const TABS = 8;

async function start(): Promise<Service> {
  const service = await startService();
  await service.store.recordEvents(true);
  await service.create('{"name":"Rex","categoryId":7}');
  return service;
}

const create = (service: Service, name: string) => service.create(JSON.stringify({ name, categoryId: 7 }));
const live = (tab: Page) => tab.locator(".feed-state.connected").waitFor();
const sees = (tab: Page, name: string) => tab.locator(".feed-latest").getByText(name).waitFor();

/** Opens tabs of one browser that share a key, and counts the streams that they open. */
async function openTabs(service: Service, count: number) {
  const { page: first } = await openConsole(browser, service);
  await live(first);
  const streams: Page[] = [];
  first.context().on("request", (request) => {
    if (request.headers().accept === "text/event-stream") streams.push(request.frame().page());
  });
  const tabs = [first];
  while (tabs.length < count) {
    // The new tab takes over the key.
    const [tab] = await Promise.all([first.waitForEvent("popup"), first.evaluate('void open("/")')]);
    await live(tab);
    tabs.push(tab);
  }
  return { first, others: tabs.slice(1), streams };
}

test("eight tabs share one stream, and each is as quick as the first", async () => {
  await using service = await start();
  const { first, others, streams } = await openTabs(service, TABS);
  expect(streams).toEqual([]);
  await create(service, "Mia");
  for (const tab of [first, ...others]) await sees(tab, "Mia");
  for (const tab of others) {
    await tab.getByText("Sold", { exact: true }).click();
    await tab.getByRole("heading", { name: "No sold animals" }).waitFor();
  }
  expect(streams).toEqual([]);
});

test("when the tab that follows the feed goes elsewhere, another one continues and nothing is missed", async () => {
  await using service = await start();
  const { first, others, streams } = await openTabs(service, 3);
  await create(service, "Mia");
  for (const tab of others) await sees(tab, "Mia");
  // The other tab's first request arrives when there has been a change.
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  for (const tab of others) {
    await tab.route("**/v1/events?*", async (route) => {
      await changed;
      await route.continue();
    });
  }
  await first.goto(`${service.address}/docs`);
  await create(service, "Zoe");
  resolve();
  for (const tab of others) {
    await sees(tab, "Zoe");
    // Each change once, also in the tab that has taken over.
    await tab.locator(".feed-list li").nth(1).waitFor({ state: "attached" });
    expect(await tab.locator(".feed-list li").allInnerTexts()).toHaveLength(2);
    expect(await tab.getByText("Changes were missed").count()).toBe(0);
  }
  expect(streams).toHaveLength(1);
});

test("a page in the back/forward cache keeps no stream, and says what it missed when it is back", async () => {
  await using service = await start();
  const { first, others, streams } = await openTabs(service, 2);
  const [other] = others as [Page];
  const dispatch = (type: string) =>
    first.evaluate(`dispatchEvent(new PageTransitionEvent("${type}", { persisted: true }))`);
  await dispatch("pagehide");
  await until(() => streams.length === 1);
  expect(streams).toEqual([other]);
  await create(service, "Mia");
  await sees(other, "Mia");
  await dispatch("pageshow");
  await first.getByText("Changes were missed: refresh").waitFor();
  await create(service, "Zoe");
  await sees(first, "Zoe");
  expect(streams).toHaveLength(1);
});

test("tabs with different keys do not hear of each other", async () => {
  await using service = await start();
  const { first, others, streams } = await openTabs(service, 2);
  const [other] = others as [Page];
  const { id, key } = await service.issueKey();
  await other.locator(".menu > summary").click();
  await other.getByRole("button", { name: "Sign out" }).click();
  await other.getByLabel("API key").fill(key);
  await other.keyboard.press("Enter");
  await live(other);
  expect(streams).toEqual([other]);
  await service.store.revokeKey(id, Date.now());
  await other.getByText("The service refused this key").waitFor();
  await create(service, "Mia");
  await sees(first, "Mia");
});

test("a request that waits for a connection says so, until it has its response", async () => {
  await using service = await start();
  const { first } = await openTabs(service, 1);
  // The console's own stream has one of the six connections.
  await first.evaluate(`{
    const headers = { authorization: "Bearer ${service.key}", accept: "text/event-stream" };
    globalThis.others = new AbortController();
    const open = () => fetch("/v1/events?from=latest", { headers, signal: others.signal });
    Promise.all([open(), open(), open(), open(), open()]);
  }`);
  await first.getByText("Sold", { exact: true }).click();
  const waiting = first.getByText("Waiting for a response");
  await waiting.waitFor();
  await first.evaluate("others.abort()");
  await first.getByRole("heading", { name: "No sold animals" }).waitFor();
  expect(await waiting.count()).toBe(0);
});
