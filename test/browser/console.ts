import type { Locator, Page } from "playwright-core";
import type { Service } from "../support/service.ts";
import type { TestBrowser, Visit } from "./browser.ts";

/** Opens the console and enters a key. */
export async function openConsole(
  browser: TestBrowser,
  service: Pick<Service, "address" | "key">,
  { key = service.key, path = "/" }: { readonly key?: string; readonly path?: string } = {},
): Promise<Visit> {
  const visit = await browser.open(service.address + path);
  await visit.page.getByLabel("API key").fill(key);
  await visit.page.keyboard.press("Enter");
  return visit;
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
