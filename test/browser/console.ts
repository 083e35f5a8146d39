import type { Locator, Page } from "playwright-core";
import type { Service } from "../support/service.ts";
import type { TestBrowser, Visit } from "./browser.ts";

/** Opens the console and enters a key. */
export async function openConsole(
  browser: TestBrowser,
  service: Pick<Service, "address" | "key">,
  options: { readonly key?: string; readonly path?: string; readonly isShared?: boolean } = {},
): Promise<Visit> {
  const { key = service.key, path = "/", isShared = false } = options;
  const visit = await browser.open(service.address + path);
  await signIn(visit.page, key, isShared);
  return visit;
}

/** Enters a key where a page asks for one. @param isShared whether other tabs of the browser may use it */
export async function signIn(page: Page, key: string, isShared = false): Promise<void> {
  await page.getByLabel("API key").fill(key);
  if (isShared) await page.getByLabel("Stay signed in across tabs").check();
  await page.getByLabel("API key").press("Enter");
}

/** A tab as a person opens it: it takes nothing over from the first. */
export async function newTab(first: Page, address: string): Promise<Page> {
  const [tab] = await Promise.all([
    first.context().waitForEvent("page"),
    first.evaluate(`void open(${JSON.stringify(address)}, "", "noopener")`),
  ]);
  await tab.bringToFront();
  return tab;
}

/** Problems but those that the browser reports of every refusal. */
export function unexpected({ problems }: Visit): string[] {
  return problems.filter((problem) => !problem.includes("Failed to load resource"));
}

/** Presses Tab until an element has the focus: it can then be reached without a mouse. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element.matches(":focus"))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("the keyboard does not reach it");
}
