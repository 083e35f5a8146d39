import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole, signIn, unexpected } from "../../test/browser/console.ts";
import { type Service, type ServiceOptions, startService } from "../../test/support/service.ts";

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

/** A tab as a person opens it: it takes nothing over from the tab before. */
async function newTab(beside: Page, address: string): Promise<Page> {
  const [tab] = await Promise.all([
    beside.context().waitForEvent("page"),
    beside.evaluate(`void open(${JSON.stringify(address)}, "", "noopener")`),
  ]);
  await tab.bringToFront();
  return tab;
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
  const elsewhere = await newTab(page, other.address);
  await isAsked(elsewhere);
  await elsewhere.evaluate(`{
    globalThis.heard = [];
    globalThis.channel = new BroadcastChannel("animal-store.key.${service.address}/v1/");
    channel.onmessage = ({ data }) => heard.push(data);
    channel.postMessage({ kind: "ask" });
    channel.postMessage({ kind: "offer", key: "${other.key}", signOut: "" });
  }`);
  // What it would have heard it has heard by the time that a tab of the service has its key.
  const tab = await newTab(page, service.address);
  await isSignedIn(tab);
  expect(await elsewhere.evaluate("heard")).toEqual([]);
  expect(await tab.evaluate("sessionStorage.getItem('animal-store.key')")).toBe(service.key);
});
