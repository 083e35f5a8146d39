import { expect, test } from "bun:test";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser } from "../../test/browser/browser.ts";
import { unexpected } from "../../test/browser/console.ts";
import { startSandbox } from "../../test/support/sandbox.ts";

const REX = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"name":"Rex","categoryId":1}',
};

test("the page of a sandbox plans faults, sets the clock, keeps its state and shows its journal, for each space", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const visit = await browser.open(`${sandbox.address}/_sandbox/console`);
  const { page } = visit;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const done = (text: string) => page.getByRole("status").getByText(text).waitFor();
  const state = async () => (await sandbox.control("GET", "")).json();

  await page.getByLabel("operation", { exact: true }).selectOption("createPet");
  await button("Add fault").click();
  await done("Fault added.");
  expect(await state()).toMatchObject({ faults: [{ fault: "503", operation: "createPet", count: 1 }] });
  expect((await sandbox.call("/v1/pets", REX)).status).toBe(503);
  expect((await sandbox.call("/v1/pets", REX)).status).toBe(201);
  await page.getByText("It met request 1.").waitFor();
  await button("Add fault").click();
  await page.getByText("count: 1").waitFor();
  await page.getByText("It met request 1.").waitFor();
  await page.getByText("2 requests", { exact: true }).waitFor();
  await page.locator(".requests-seen summary").first().click();
  await page.getByText("location: /v1/pets/25").waitFor();

  await page.getByText("Delays and more conditions").click();
  await page.getByLabel("delayMs", { exact: true }).fill("soon");
  await button("Add fault").click();
  await page.getByRole("status").getByText("must be a whole number from 1 to 120000").waitFor();
  await page.getByLabel("delayMs", { exact: true }).fill("");

  await page.getByLabel("Set to").fill("2030-12-05");
  await button("Set").click();
  await done("The clock is set.");
  await button("Freeze").click();
  await done("The clock stands still.");
  await page.getByLabel("Advance by").fill("25h");
  await button("Advance").click();
  await done("The clock is advanced.");
  expect(await state()).toMatchObject({ frozen: true, now: expect.stringContaining("2030-12-06T01:00") });

  await page.getByLabel("Snapshot of the store and the clock").fill("with-rex");
  await button("Take").click();
  await done("The snapshot with-rex is taken.");
  await expectAccessible(page);
  await expectToFit(page);
  await button("Reset").click();
  await done("Space reset.");
  await page.getByText("No faults are planned.").waitFor();
  await page.getByText("0 requests", { exact: true }).waitFor();
  expect(await state()).toMatchObject({ frozen: false, faults: [] });
  await button("Restore with-rex").click();
  await done("The snapshot with-rex is restored.");
  expect(await state()).toMatchObject({ frozen: true });
  await button("Make a space from with-rex").click();
  await done("The space is made.");
  await button("Remove it").waitFor();
  await page.getByText("It stands still.").waitFor();
  await button("Remove it").click();
  await done("The space is removed.");
  await button("Restore with-rex").waitFor();

  await button("Make a space").click();
  await done("The space is made.");
  await button("Remove it").waitFor();
  await button("Add fault").click();
  await done("Fault added.");
  expect(await state()).toMatchObject({ space: "first", faults: [] });
  await page.getByText("count: 1").waitFor();
  await button("Remove it").click();
  await done("The space is removed.");
  await page.getByText("No faults are planned.").waitFor();

  await page.getByRole("link", { name: "Open the console" }).first().click();
  await page.getByRole("cell", { name: "Rex" }).waitFor();
  await page.getByRole("link", { name: "API keys, faults, clock and journal" }).click();
  await page.getByRole("heading", { name: "This sandbox" }).waitFor();
  expect(unexpected(visit)).toEqual([]);
});

test("the console of a sandbox leads to its keys, and tries again after a proxy's refusal", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const { page } = await browser.open(sandbox.address);
  await page.getByLabel("API key").waitFor();
  expect(await page.getByText("animal-store keys create").isVisible()).toBe(false);
  await page.getByRole("link", { name: "API keys, faults, clock and journal" }).click();
  await sandbox.plan({ fault: "504", operation: "listPets", count: 1 });
  await page.getByRole("link", { name: "Open the console" }).first().click();
  await page.getByText("Trying again in").waitFor();
  await page.getByRole("cell", { name: "Luna" }).waitFor();
});
