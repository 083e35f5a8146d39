import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startService } from "../support/service.ts";
import { startBrowser } from "./browser.ts";

// The first start of the browser unpacks it.
const GREATEST = "9223372036854775807";
const OPERATION = ".opblock";

test("shows every operation of the document", async () => {
  await using service = await startService();
  await using browser = await startBrowser();
  const { page, problems } = await browser.open(`${service.address}/docs`);
  await page.locator(OPERATION).first().waitFor();

  expect(await page.title()).toBe("Animal Store: API reference");
  expect((await page.locator(".opblock-summary").allInnerTexts()).map(words)).toEqual(
    (await operationsOf(service.address)).map(words),
  );
  expect(problems).toEqual([]);
});

test("shows the bounds of identifiers to the last digit", async () => {
  await using service = await startService();
  await using browser = await startBrowser();
  const { page, problems } = await browser.open(`${service.address}/docs`);
  await page.getByRole("button", { name: "Expand all" }).first().click();

  await page.getByText(`[1, ${GREATEST}]`, { exact: true }).waitFor();
  await page.getByText(`[-9223372036854775808, ${GREATEST}]`, { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test("adds and lists animals with a key, to the last digit, whatever the service is called", async () => {
  await using service = await startService();
  await using browser = await startBrowser();
  const { port } = new URL(service.address);
  const { page, problems } = await browser.open(`http://localhost:${port}/docs`);
  await page.getByRole("button", { name: "Authorize" }).first().click();
  await page.getByLabel("auth-bearer-value").fill(service.key);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Close" }).click();

  const body = `{"name":"Rex","categoryId":${GREATEST}}`;
  expect(await tryOut(page, "createPet", body)).toContain(`"categoryId": ${GREATEST}`);
  expect(await tryOut(page, "listPets")).toContain(`"categoryId": ${GREATEST}`);
  expect(problems).toEqual([]);
});

test("fits a phone", async () => {
  await using service = await startService();
  await using browser = await startBrowser();
  const width = 360;
  const { page } = await browser.open(`${service.address}/docs`, { viewport: { width, height: 640 } });
  await page.locator(OPERATION).first().waitFor();
  for (const operation of await page.locator(OPERATION).all()) {
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".responses-wrapper").waitFor();
  }

  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
});

test("leads to the document without JavaScript", async () => {
  await using service = await startService();
  await using browser = await startBrowser();
  const { page } = await browser.open(`${service.address}/docs`, { javaScriptEnabled: false });
  await page.getByRole("link", { name: "/openapi.json" }).click();

  expect(new URL(page.url()).pathname).toBe("/openapi.json");
});

test("a policy that stops the viewer would be seen", async () => {
  await using service = await startService();
  await using browser = await startBrowser();
  const { page, problems } = await browser.open(`${service.address}/livez`);
  await page.route("**/docs", async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), "content-security-policy": "default-src 'none'" };
    await route.fulfill({ response, headers });
  });
  await page.goto(`${service.address}/docs`, { waitUntil: "networkidle" });

  expect(problems.join("\n")).toContain("Content Security Policy");
  expect(await page.locator(OPERATION).count()).toBe(0);
});

/** Executes an operation from the page and gives the body of the answer as it is shown. */
async function tryOut(page: Page, id: string, body?: string): Promise<string> {
  const operation = page.locator(`${OPERATION}[id$="-${id}"]`);
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  if (body !== undefined) await operation.locator("textarea").fill(body);
  await operation.getByRole("button", { name: "Execute" }).click();
  return operation.locator(".live-responses-table .highlight-code").first().innerText();
}

/** What the page should say of each operation: "GET /pets List animals". */
async function operationsOf(address: string): Promise<string[]> {
  const document = await fetch(`${address}/openapi.json`);
  const { paths } = (await document.json()) as { paths: Record<string, Record<string, { summary: string }>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => `${method.toUpperCase()} ${path} ${summary}`),
  );
}

/** A text whatever its white space, and the invisible places at which a path may be broken. */
function words(text: string): string {
  return text.replaceAll("\u200b", "").replaceAll(/\s+/g, " ").trim();
}
