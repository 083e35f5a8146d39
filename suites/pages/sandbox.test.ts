import { expect, test } from "bun:test";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser } from "../../test/browser/browser.ts";
import { signIn, unexpected } from "../../test/browser/console.ts";
import { startReceiver } from "../../test/relay/receiver.ts";
import { startSandbox } from "../../test/support/sandbox.ts";

/** There is room for the journal next to the rest. */
const WIDE = { viewport: { width: 1440, height: 900 } };

const REX = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"name":"Rex","categoryId":1}',
};

test("the page of a sandbox plans faults, sets the clock, keeps its state and shows its journal, for each space", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const visit = await browser.open(`${sandbox.address}/_sandbox/console`, WIDE);
  const { page } = visit;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const done = (text: string) => page.getByRole("status").getByText(text).waitFor();
  const state = async () => (await sandbox.control("GET", "")).json();

  await page.getByLabel("Operation", { exact: true }).selectOption("createPet");
  await button("Add fault").click();
  await done("Fault added.");
  expect(await state()).toMatchObject({ faults: [{ fault: "503", operation: "createPet", count: 1 }] });
  expect((await sandbox.call("/v1/pets", REX)).status).toBe(503);
  expect((await sandbox.call("/v1/pets", REX)).status).toBe(201);
  await page.getByText("no more requests of createPet; met request 1").waitFor();
  await button("Add fault").click();
  await page.getByText("the next request of createPet", { exact: true }).waitFor();
  await page.getByText("no more requests of createPet; met request 1").waitFor();
  await page.getByText("2 requests", { exact: true }).waitFor();
  await page.locator(".requests-seen summary").first().click();
  await page.getByText("location: /v1/pets/25").waitFor();

  await page.getByLabel("Set to").fill("2030-12-05");
  await button("Set").click();
  await done("The clock is set.");
  await button("Freeze").click();
  await done("The clock stands still.");
  const { now: frozenAt } = (await state()) as { readonly now: string };
  for (const [step, hours] of [
    ["+1 h", 1],
    ["+25 h", 26],
  ] as const) {
    await button(step).click();
    await done("The clock is advanced.");
    const now = new Date(Date.parse(frozenAt) + hours * 3_600_000).toISOString();
    await page.locator(`.clock-face time[datetime="${now}"]`).waitFor();
    expect(await state()).toMatchObject({ frozen: true, now });
  }
  await page.getByLabel("Set to").fill("2030-12-05");
  await button("Set").click();
  await done("The clock is set.");
  await page.getByLabel("Advance by").fill("25h");
  await button("Advance").click();
  await done("The clock is advanced.");
  expect(await state()).toMatchObject({ frozen: true, now: expect.stringContaining("2030-12-06T01:00") });

  await page.getByLabel("Snapshot of the store and the clock").fill("with-rex");
  await button("Take").click();
  await done("The snapshot with-rex is taken.");
  await expectAccessible(page);
  await expectToFit(page);
  await page.setViewportSize(WIDE.viewport);
  await button("Reset").click();
  await button("Reset").click();
  await done("Space reset.");
  await page.getByText("No faults are planned").waitFor();
  await page.getByText("0 requests", { exact: true }).waitFor();
  expect(await state()).toMatchObject({ frozen: false, faults: [] });
  await button("Restore with-rex").click();
  await button("Restore").click();
  await done("The snapshot with-rex is restored.");
  expect(await state()).toMatchObject({ frozen: true });
  await button("Make a space from with-rex").click();
  await done("The space is made.");
  await button("Remove it").waitFor();
  await page.getByText("It stands still.").waitFor();
  await button("Remove it").click();
  await button("Remove it").click();
  await done("The space is removed.");
  await button("Restore with-rex").waitFor();

  await button("Make a space").click();
  await done("The space is made.");
  await button("Remove it").waitFor();
  await button("Add fault").click();
  await done("Fault added.");
  expect(await state()).toMatchObject({ space: "first", faults: [] });
  await page.getByText("the next request", { exact: false }).first().waitFor();
  await button("Remove it").click();
  await button("Remove it").click();
  await done("The space is removed.");
  await page.getByText("No faults are planned").waitFor();

  await page.getByRole("link", { name: "Open the console" }).first().click();
  await page.getByRole("cell", { name: "Rex" }).waitFor();
  expect(await page.locator(".environment").textContent()).toBe("Sandbox");
  await page.getByRole("link", { name: "API keys, faults, clock and journal" }).click();
  await page.getByRole("heading", { name: "This sandbox" }).waitFor();
  expect(unexpected(visit)).toEqual([]);
});

test("on the page of a sandbox one button plans what often goes wrong, and the journal shows both messages", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const { page } = await browser.open(`${sandbox.address}/_sandbox/console`, WIDE);
  await page.getByRole("button", { name: "Rate limit three times" }).click();
  await page.getByText("the next 3; Retry-After 2 s").waitFor();
  const statuses: number[] = [];
  for (let request = 0; request < 4; request++) statuses.push((await sandbox.call("/v1/pets")).status);
  expect(statuses).toEqual([429, 429, 429, 200]);
  const entry = page.locator(".requests-seen > li").nth(1);
  await entry.locator("summary").getByText("Rate limit").waitFor();
  await entry.locator("summary").click();
  await entry.getByText("GET /v1/pets").last().waitFor();
  await entry.getByText("HTTP/1.1 429").waitFor();
  await entry.getByText('"rate_limited"').waitFor();
  expect(await entry.locator("summary").textContent()).toMatch(/\d\d:\d\d:\d\d/);

  // The journal stays in sight, next to what is planned.
  await page.getByRole("button", { name: "Add fault" }).scrollIntoViewIfNeeded();
  const [journal, form] = await Promise.all(
    [".journal", ".faults form"].map((selector) => page.locator(selector).boundingBox()),
  );
  expect(journal?.x).toBeGreaterThan((form?.x ?? 0) + (form?.width ?? 0));
  expect(journal?.y).toBeGreaterThanOrEqual(0);

  await page.getByRole("button", { name: "The sunset has come" }).click();
  await page.getByRole("status").getByText("It is 5 December 2030.").waitFor();
  expect((await sandbox.call("/v1/pets/1")).status).toBe(410);
});

test("what is done on the page of a sandbox may end after other requests are chosen, which stay shown", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const { page } = await browser.open(`${sandbox.address}/_sandbox/console`, WIDE);
  await sandbox.call("/v1/pets", REX);
  await sandbox.call("/v1/pets");
  await page.getByText("2 requests", { exact: true }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/_sandbox/faults", async (route) => {
    await held.promise;
    await route.continue();
  });
  const plan = page.waitForRequest("**/_sandbox/faults");
  await page.getByRole("button", { name: "Add fault" }).click();
  await plan;
  await page.locator(".journal select").selectOption("createPet");
  await page.getByText("1 request", { exact: true }).waitFor();
  const counts = page.evaluate<string[]>(`new Promise((resolve) => {
    const seen = [];
    const note = () => {
      seen.push(document.querySelector(".journal .hint").textContent);
      if (document.querySelector(".faults .rows li")) resolve(seen);
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  })`);
  held.resolve();
  expect(new Set(await counts)).toEqual(new Set(["1 request"]));
});

test("on a phone the page of a sandbox shows its control or its journal, and the latest request all the time", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const { page } = await browser.open(`${sandbox.address}/_sandbox/console`, {
    viewport: { width: 390, height: 844 },
  });
  await page.getByRole("button", { name: "Rate limit three times" }).click();
  await page.getByText("the next 3; Retry-After 2 s").waitFor();
  expect(await page.getByRole("heading", { name: "Journal" }).isVisible()).toBe(false);
  await sandbox.call("/v1/pets?limit=7");
  const latest = page.getByRole("button", { name: /^Latest request/ });
  await latest.getByText("/v1/pets?limit=7").waitFor();
  expect(await latest.innerText()).toContain("429");
  await page.getByRole("button", { name: "Reset" }).scrollIntoViewIfNeeded();
  const box = await latest.boundingBox();
  expect([(box?.y ?? -1) >= 0, (box?.y ?? 844) < 60]).toEqual([true, true]);
  await expectAccessible(page);
  await expectToFit(page);
  await latest.click();
  await page.locator(".requests-seen summary").getByText("Rate limit").waitFor();
  expect(await page.getByRole("button", { name: "Rate limit three times" }).isVisible()).toBe(false);
  await expectAccessible(page);
  await expectToFit(page);
  await page.getByText("Control", { exact: true }).click();
  await page.getByRole("button", { name: "Rate limit three times" }).waitFor();
});

test("the page of a sandbox says next to a field what is wrong with it, and asks before something is lost", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const { page } = await browser.open(`${sandbox.address}/_sandbox/console`);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.getByText("Delays and more conditions").click();
  const delay = page.getByLabel("Delay in ms", { exact: true });
  await delay.fill("soon");
  await button("Add fault").click();
  await page.getByText("It must be a whole number from 1 to 120000.").waitFor();
  expect(await delay.getAttribute("aria-invalid")).toBe("true");
  const description = await delay.getAttribute("aria-describedby");
  expect(await page.locator(`[id="${description}"]`).textContent()).toContain(
    "whole number from 1 to 120000",
  );
  await delay.fill("");
  await page.getByText("It must be a whole number").waitFor({ state: "detached" });
  expect(await page.getByPlaceholder("undefined").count()).toBe(0);
  await page.getByLabel("Members of the body").fill('{"name": "Zoe"}');
  await button("Add fault").click();
  await page.getByText('the next request with {"name":"Zoe"} in the body').waitFor();
  await page.getByLabel("Members of the body").fill("");

  await page.getByLabel("Set to").fill("tomorrow");
  await button("Set").click();
  await page.locator(".clock .fault").getByText("must be an RFC 3339 time").waitFor();

  await sandbox.call("/v1/pets", REX);
  await button("Reset").click();
  await page.getByText("Reset the space?").waitFor();
  expect(await button("Keep").evaluate((element) => element.matches(":focus"))).toBe(true);
  await page.keyboard.press("Escape");
  await button("Reset").waitFor();
  expect((await sandbox.call("/v1/pets/25")).status).toBe(200);

  await page.getByRole("button", { name: "Break the next JSON" }).click();
  await page.getByRole("status").getByText("The next response will be broken.").waitFor();
  await button("Dismiss").click();
  await page.getByText("The next response will be broken.").waitFor({ state: "detached" });
});

test("the console of a sandbox opens by one button, or by another of its keys", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const visit = await browser.open(sandbox.address);
  const { page } = visit;
  const button = page.getByRole("button", { name: "Open with the sandbox's key" });
  await button.and(page.locator(":focus")).waitFor();
  await expectAccessible(page);
  await expectToFit(page);
  await page.keyboard.press("Enter");
  await page.getByRole("cell", { name: "Max" }).waitFor();
  await page.locator(".menu > summary").click();
  await page.locator(".key-facts").getByText("all scopes").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await button.waitFor();
  await signIn(page, SANDBOX_KEYS[2]?.key ?? "");
  await page.getByRole("cell", { name: "Max" }).waitFor();
  await page.locator(".menu > summary").click();
  await page.locator(".key-facts").getByText("read only").waitFor();
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
  // The newest of the examples.
  await page.getByRole("cell", { name: "Max" }).waitFor();
});

test("the reference of a sandbox calls it one, and says where its keys are", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  const { page } = await browser.open(`${sandbox.address}/docs`, { viewport: { width: 1440, height: 900 } });
  expect(await page.locator(".intro .code pre").getAttribute("data-language")).toBe("Sandbox");
  const hint = await page.locator("#key .hint").textContent();
  const link = await page.locator('.sidebar a[href$="_sandbox/console"]').textContent();
  expect(hint).toContain(`“${link}” shows its keys.`);
  expect(hint).not.toContain("keys create");
});

test("the page of a sandbox delivers events, and its journal shows each delivery with its response", async () => {
  await using sandbox = await startSandbox();
  await using browser = await startBrowser();
  using receiver = startReceiver((_, number) => new Response(null, { status: number === 1 ? 400 : 204 }));
  await sandbox.plan({ fault: "delivery_old_timestamp", count: 1 });
  const visit = await browser.open(`${sandbox.address}/_sandbox/console`, WIDE);
  const { page } = visit;
  await page.getByText("Deliveries", { exact: true }).last().click();
  await page.getByText("0 deliveries", { exact: true }).waitFor();
  await page.getByLabel("Deliver to").fill("http://10.0.0.1/");
  await page.getByRole("button", { name: "Deliver", exact: true }).click();
  await page.getByText("a sandbox delivers to its own machine alone", { exact: false }).waitFor();
  await page.getByLabel("Deliver to").fill(receiver.url);
  await page.getByRole("button", { name: "Deliver", exact: true }).click();
  await page.getByText("Events are delivered from now on.").waitFor();
  expect((await sandbox.call("/v1/pets", REX)).status).toBe(201);
  await page.getByText("2 deliveries", { exact: true }).waitFor();
  const [accepted, refused] = [0, 1].map((at) => page.locator(".requests-seen > li").nth(at));
  await page.getByText("no more deliveries; met delivery 1").waitFor();
  await accepted?.locator("summary").getByText("attempt 2").waitFor();
  await refused?.locator("summary").getByText("Deliver what is old").waitFor();
  await refused?.locator("summary").click();
  await refused?.getByText(`POST ${receiver.url}`).waitFor();
  await refused?.getByText("webhook-signature: v1,").waitFor();
  await refused?.getByText('"animal.created"').waitFor();
  await refused?.getByText("HTTP/1.1 400").waitFor();
  await expectAccessible(page);
  await expectToFit(page);
  await page.setViewportSize(WIDE.viewport);
  await page.getByRole("button", { name: `End deliveries to ${receiver.url}` }).click();
  await page.getByText("The deliveries are ended.").waitFor();
  await accepted?.locator("summary").getByText("to address 1").waitFor();
  expect(unexpected(visit)).toEqual([]);
});
