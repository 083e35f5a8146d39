import { expect, test } from "bun:test";
import { startBrowser } from "../../test/browser/browser.ts";
import { openConsole } from "../../test/browser/console.ts";
import { startService } from "../../test/support/service.ts";

// npm brings an older Chromium than people have, and the two differ in regular expressions.

test("the distribution's Chromium shows the names of joined emoji whole", async () => {
  await using browser = await startBrowser({ executablePath: "/usr/bin/chromium", env: {} });
  await using service = await startService();
  const names = ["🐈‍⬛", "🐕‍🦺", "🐻‍❄️", "👨‍👩‍👧‍👦", "👩🏽‍🌾"];
  for (const name of names) await service.create(JSON.stringify({ name, categoryId: 7 }));
  const { page } = await openConsole(browser, service);
  await page.locator(".animals tbody tr").first().waitFor();
  expect(await page.locator(".animals .name").allInnerTexts()).toEqual(names.toReversed());
});
