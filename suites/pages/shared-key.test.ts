import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { newTab, openConsole, signIn, unexpected } from "../../test/browser/console.ts";
import { type Service, type ServiceOptions, startService } from "../../test/support/service.ts";
import { belowPaths } from "./below-a-path.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  for (const name of ["Rex", "Mia"]) await service.create(JSON.stringify({ name, categoryId: 7 }));
  return service;
}

const isSignedIn = (tab: Page) => tab.locator(".items .name").first().waitFor();
const isAsked = (tab: Page) => tab.locator("#api-key").waitFor();
const keptByBrowser = (tab: Page) =>
  tab.evaluate<string>("JSON.stringify([{ ...localStorage }, document.cookie])");

async function signOut(tab: Page): Promise<void> {
  await tab.locator(".menu > summary").click();
  await tab.getByRole("button", { name: "Sign out" }).click();
}

test("an animal opens signed in in a new tab, if the person shares the sign-in", async () => {
  await using service = await start();
  const visit = await openConsole(browser, service, { isShared: true });
  const { page } = visit;
  // As by a middle click, after which the driver of this browser now and then waits for ever.
  const link = page.locator(".items").getByRole("link", { name: "Mia" });
  const tab = await newTab(page, new URL((await link.getAttribute("href")) ?? "", service.address).href);
  await tab.getByRole("dialog").getByRole("heading", { name: "Mia", exact: true }).waitFor();
  expect(await tab.evaluate<string>("location.search")).toBe("?animal=2");
  const reference = await newTab(page, `${service.address}/docs`);
  await reference
    .locator(".key-field")
    .getByRole("button", { name: "Sign out of all tabs" })
    .first()
    .waitFor();
  expect(await keptByBrowser(page)).not.toContain(service.key);
  expect(unexpected(visit)).toEqual([]);
});

test("a tab in the background, which gets no frames, is signed in as well", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { isShared: true });
  await isSignedIn(page);
  await page.context().addInitScript(`{
    const later = setTimeout;
    globalThis.requestAnimationFrame = () => 0;
    globalThis.setTimeout = (run, milliseconds) => later(run, 1_000 + (milliseconds ?? 0));
  }`);
  await isSignedIn(await newTab(page, service.address));
});

test("without that a new tab asks for a key, and so does each once the last that shares one is closed", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await isSignedIn(page);
  const tab = await newTab(page, service.address);
  await isAsked(tab);
  // A tab that waits for a key is signed in with the others.
  const third = await newTab(page, service.address);
  await signIn(tab, service.key, true);
  await isSignedIn(third);
  await tab.close();
  await third.reload();
  await isSignedIn(third);
  await third.close();
  const last = await newTab(page, service.address);
  await isAsked(last);
  expect(await last.evaluate<number>("sessionStorage.length")).toBe(0);
  await isSignedIn(page);
});

test("signing out in one tab signs out all that share the key, also a tab that shows another page meanwhile", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { isShared: true });
  await isSignedIn(page);
  const [list, guide, reference] = [
    await newTab(page, service.address),
    await newTab(page, service.address),
    await newTab(page, `${service.address}/docs`),
  ];
  await isSignedIn(guide);
  await guide.goto(`${service.address}/docs/guides/start`);
  await isSignedIn(list);
  await signOut(list);
  for (const tab of [list, page]) await isAsked(tab);
  await reference.getByLabel("Your API key").first().waitFor();
  await guide.goto(service.address);
  await isAsked(guide);
  for (const tab of [list, page, guide, reference])
    expect(await tab.evaluate<string>("JSON.stringify({ ...sessionStorage })")).not.toContain(service.key);
  // A new one asks as well.
  await isAsked(await newTab(page, service.address));
});

test("a key that the service refuses in one tab signs out all that share it, and no other", async () => {
  await using service = await start({ operations: operationsOffered("beta") });
  const { id, key } = await service.issueKey();
  const { page: own } = await openConsole(browser, service);
  await isSignedIn(own);
  const page = await newTab(own, service.address);
  await signIn(page, key, true);
  await isSignedIn(page);
  const tab = await newTab(own, service.address);
  await isSignedIn(tab);
  await service.store.revokeKey(id, Date.now());
  await tab.getByRole("button", { name: "Refresh" }).click();
  await tab.getByText("The service refused this key").waitFor();
  await isAsked(page);
  await isSignedIn(own);
});

test("a page of another origin neither gets a key that is shared nor gives one", async () => {
  await using service = await start();
  await using other = await start();
  const { page } = await openConsole(browser, service, { isShared: true });
  await isSignedIn(page);
  // A page that follows no shared key: it would take its own offer, and tell of that.
  const elsewhere = await newTab(page, `${other.address}/docs/guides/start`);
  await elsewhere.locator("h1").waitFor();
  await elsewhere.evaluate(`{
    globalThis.heard = [];
    globalThis.channel = new BroadcastChannel("animal-store.key/v1/");
    channel.onmessage = ({ data }) => heard.push(data);
    channel.postMessage({ kind: "ask" });
    channel.postMessage({ kind: "offer", key: "${other.key}", signOut: "" });
  }`);
  // What it would have heard it has heard by the time that a tab of the service has its key.
  const tab = await newTab(page, service.address);
  await isSignedIn(tab);
  expect(await elsewhere.evaluate("heard")).toEqual([]);
  expect(await tab.evaluate("sessionStorage.getItem('animal-store.key/v1/')")).toBe(service.key);
});

test("services below two paths of one address share neither keys nor sign-outs", async () => {
  await using service = await start();
  await using other = await start();
  using proxy = belowPaths({ one: service, two: other });
  const [one, two] = [`${proxy.addressOf("one")}/`, `${proxy.addressOf("two")}/`];
  const { page } = await openConsole(
    browser,
    { address: one, key: service.key },
    { isShared: true, path: "" },
  );
  await isSignedIn(page);
  const tab = await newTab(page, one);
  await isSignedIn(tab);
  await tab.goto(two);
  await isAsked(tab);
  await signIn(tab, other.key, true);
  await isSignedIn(tab);
  await signOut(page);
  await isAsked(page);
  await tab.reload();
  await isSignedIn(tab);
});

test("signing out ends the key in each tab though the browser's storage is full", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service, { isShared: true });
  await isSignedIn(page);
  const tab = await newTab(page, service.address);
  await isSignedIn(tab);
  await page.evaluate(`{
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (...item) {
      if (this === localStorage) throw new DOMException("full", "QuotaExceededError");
      setItem.apply(this, item);
    };
  }`);
  await signOut(page);
  for (const each of [page, tab]) {
    await isAsked(each);
    expect(await each.evaluate<string>("JSON.stringify({ ...sessionStorage })")).not.toContain(service.key);
  }
  expect(
    await tab.evaluate<string | null>("localStorage.getItem('animal-store.key/v1/sign-out')"),
  ).toBeNull();
  // The same key can be shared again.
  await signIn(tab, service.key, true);
  await isSignedIn(page);
});

test("a tab shares its key though what shares it could not be loaded at first", async () => {
  await using service = await start();
  const { page } = await openConsole(browser, service);
  await isSignedIn(page);
  const { promise: hasFailed, resolve } = Promise.withResolvers<void>();
  await page.context().route(
    "**/share*.js",
    async (route) => {
      await route.abort();
      resolve();
    },
    { times: 1 },
  );
  const tab = await newTab(page, service.address);
  await hasFailed;
  await signIn(tab, service.key, true);
  await isSignedIn(await newTab(page, service.address));
});

test("a late refusal of an earlier key leaves the key that is used by then", async () => {
  await using service = await start({ operations: operationsOffered("beta") });
  const headers = { "content-type": "application/json" };
  await service.call("/v1/orders", { method: "POST", headers, body: '{"petId":1}' });
  const { key } = await service.issueKey();
  const { page } = await openConsole(browser, service, { path: "/?view=orders" });
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  await page.route(
    "**/v1/orders/1",
    async (route) => {
      await isLate;
      await route.fulfill({ status: 401, body: "" });
    },
    { times: 1 },
  );
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await signOut(page);
  await signIn(page, key);
  await isSignedIn(page);
  resolve();
  await page.locator(".requests summary").filter({ hasText: "/v1/orders/1" }).waitFor();
  expect(await page.evaluate("sessionStorage.getItem('animal-store.key/v1/')")).toBe(key);
  await isSignedIn(page);
});
