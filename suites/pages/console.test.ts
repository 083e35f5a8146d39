import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page, Request, Route } from "playwright-core";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { openStore } from "../../src/stores/open.ts";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser, type Visit } from "../../test/browser/browser.ts";
import { openConsole, signIn, tabTo, unexpected } from "../../test/browser/console.ts";
import { createSqliteDatabase } from "../../test/support/database.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { run } from "../../test/support/program.ts";
import { type Service, type ServiceOptions, startService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";

const GREATEST = "9223372036854775807";
const MARKUP = "<img src=x onerror=alert(1)>";
const NAMES = ["Rex", MARKUP, "مرحبا قط", "🦜 Polly 👩‍👩‍👧‍👦"];

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const open = (service: Service, key = service.key, path = "/") =>
  openConsole(browser, service, { key, path });

async function startWithAnimals(options: ServiceOptions = {}, count = 45): Promise<Service> {
  const service = await startService(options);
  for (const name of NAMES) await service.create(JSON.stringify({ name, categoryId: 7 }));
  await service.create(`{"name":"The greatest category","categoryId":${GREATEST},"status":"sold"}`);
  for (let n = NAMES.length + 1; n < count; n++) {
    await service.create(JSON.stringify({ name: `Animal ${n + 1}`, categoryId: n, status: "pending" }));
  }
  return service;
}

/** The end of a key ends the feed, too, which may find it refused first. */
const WITHOUT_FEED = { operations: operationsOffered("beta") };

const row = (page: Page, at: number) => page.locator(".animals tbody tr").nth(at);
const shown = (page: Page) => page.locator(".animals tbody tr");

describe("a key", () => {
  test("is made by the command that the console shows", async () => {
    await using service = await startService({ environment: "staging" });
    const { page } = await browser.open(`${service.address}/`);
    const [program, ...args] = (await page.locator(".sign-in pre").innerText()).trim().split(" ");
    expect(program).toBe("animal-store");
    using folder = temporaryFolder();
    const made = await run([...args, "--database", service.database.url], { cwd: folder.path });
    await page.getByLabel("API key").fill(made.stdout.trim());
    await page.keyboard.press("Enter");
    await page.getByText("No animals yet").waitFor();
  });

  test("that is revoked meanwhile leads back to the question for one", async () => {
    await using service = await startWithAnimals(WITHOUT_FEED);
    const { id, key } = await service.issueKey();
    const { page } = await open(service, key);
    await shown(page).first().waitFor();
    await service.store.revokeKey(id, Date.now());
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The service refused this key").waitFor();
  });

  test("that is revoked before an animal is fetched does so too", async () => {
    await using service = await startWithAnimals(WITHOUT_FEED);
    const { id, key } = await service.issueKey();
    const { page } = await open(service, key);
    await shown(page).first().waitFor();
    await service.store.revokeKey(id, Date.now());
    await page.getByLabel("Find by id").fill("45");
    await page.keyboard.press("Enter");
    await page.getByText("The service refused this key").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});

describe("the table", () => {
  test("pages by the service's links, back and forth, also by the browser's own button", async () => {
    await using service = await startWithAnimals();
    const { page } = await open(service);
    const firstId = () => row(page, 0).locator(".number").first().innerText();
    const next = page.getByRole("button", { name: "Next" });
    await page.getByText("ids 45 to 26").waitFor();
    await next.click();
    await page.getByText("ids 25 to 6").waitFor();
    await next.click();
    await page.getByText("5 animals, ids 5 to 1").waitFor();
    expect(await next.getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByText("ids 25 to 6").waitFor();
    await page.goBack();
    await page.getByText("ids 5 to 1").waitFor();
    await page.reload();
    await page.getByText("ids 5 to 1").waitFor();
    expect(await firstId()).toBe("5");
  });

  test("filters, and says where a filter leaves nothing", async () => {
    await using service = await startService();
    const { page } = await open(service);
    await page.getByText("No animals yet").waitFor();
    await expectAccessible(page);
    await service.create('{"name":"Rex","categoryId":1}');
    await page.getByText("Sold").click();
    await page.getByText("No sold animals").waitFor();
    await page.getByRole("button", { name: "Show all animals" }).click();
    await page.getByRole("link", { name: "Rex" }).waitFor();
  });

  test("follows no link but the service's own, whatever the address says", async () => {
    await using service = await startWithAnimals();
    const elsewhere = encodeURIComponent("//example.com/v1/pets?");
    const visit = await open(service, service.key, `/?page=${elsewhere}&status=%22%3E&limit=9`);
    await visit.page.getByText("The service refused this page").waitFor();
    await visit.page.getByRole("button", { name: "Show all animals" }).click();
    await visit.page.getByText("20 animals, ids 45 to 26").waitFor();
    expect(unexpected(visit)).toEqual([]);
  });

  test("has a record of each request, as a line for a terminal without the key", async () => {
    await using service = await startWithAnimals();
    const { page } = await open(service);
    await shown(page).first().waitFor();
    await page.locator(".requests > details > summary").click();
    const line = await page
      .locator(".requests pre")
      .filter({ hasText: "/v1/pets?limit=20" })
      .first()
      .innerText();
    expect(line).toContain(`curl '${service.address}/v1/pets?limit=20&sort=-id'`);
    expect(line).toContain('"Authorization: Bearer $API_KEY"');
    await expectAccessible(page);
    await expectToFit(page);
  });
});

test("the record counts all requests, keeps a hundred, and shows what came back", async () => {
  await using service = await startWithAnimals(WITHOUT_FEED, 6);
  const { page } = await browser.open(service.address);
  await page.getByLabel("API key").waitFor();
  // A person who has asked for nothing sees no tool of developers.
  expect(await page.locator(".requests summary").count()).toBe(0);
  await signIn(page, service.key);
  await shown(page).first().waitFor();
  const count = page.locator(".requests .count");
  const counted = async () => Number(await count.innerText());
  // What the key may do is asked at some time next to the first page, and counts as well.
  for (let before = await counted(); before < 102; before = await counted()) {
    await page.getByRole("button", { name: "Refresh" }).click();
    await until(async () => (await counted()) > before);
  }
  await page.locator(".requests > details > summary").click();
  expect(await page.locator(".requests ol > li").count()).toBe(100);
  const latest = page.locator(".requests ol > li").first();
  await latest.getByText("Response", { exact: true }).click();
  await latest.getByText('"The greatest category"').waitFor();
  // Below everything, and as light as the page.
  const { position, light } = await page.evaluate<{ readonly position: string; readonly light: boolean }>(`({
    position: getComputedStyle(document.querySelector(".requests")).position,
    light: getComputedStyle(document.querySelector(".requests .code")).backgroundColor
      === getComputedStyle(document.body).backgroundColor,
  })`);
  expect([position, light]).toEqual(["static", true]);
});

test("what was done is said for a moment, and leaves by itself unless the pointer is on it", async () => {
  await using service = await startWithAnimals(WITHOUT_FEED, 6);
  const { page } = await open(service);
  await shown(page).first().waitFor();
  await page.clock.install();
  await page.getByRole("button", { name: "Add animal" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Kim");
  await page.getByRole("dialog").getByLabel("Category").fill("7");
  await page.keyboard.press("Enter");
  const toast = page.locator(".toast");
  await toast.getByText("Added Kim").waitFor();
  await toast.dispatchEvent("mouseenter");
  await page.clock.runFor(60_000);
  expect(await toast.count()).toBe(1);
  await toast.dispatchEvent("mouseleave");
  await page.clock.runFor(6_000);
  await toast.waitFor({ state: "detached" });
});

test("after an animal was added, the form for the next one is empty, and adds another", async () => {
  await using service = await startWithAnimals(WITHOUT_FEED, 6);
  const { page } = await open(service);
  await shown(page).first().waitFor();
  for (const name of ["Kim", "Max"]) {
    await page.getByRole("button", { name: "Add animal" }).click();
    const field = page.getByRole("dialog").getByLabel("Name");
    expect(await field.inputValue()).toBe("");
    await field.fill(name);
    await page.getByRole("dialog").getByLabel("Category").fill("7");
    await page.keyboard.press("Enter");
    await page.locator(".toast").getByText(`Added ${name}`).waitFor();
  }
});

test("what was done is said for its own time, also if it is done as the time of the one before ends", async () => {
  await using service = await startWithAnimals(WITHOUT_FEED, 6);
  const { page } = await open(service);
  await shown(page).first().waitFor();
  // The first time, of five seconds, ends in the task that shows the second text.
  await page.evaluate(`{
    const { setTimeout, clearTimeout } = window;
    let first;
    window.setTimeout = (run, ms, ...rest) => {
      const timer = setTimeout(run, ms, ...rest);
      if (ms === 5000) first ??= { timer, run };
      return timer;
    };
    window.clearTimeout = (timer) => {
      if (timer === first?.timer) first.run = () => {};
      clearTimeout(timer);
    };
    const toasts = document.querySelector(".toasts");
    const endFirst = () => {
      if (!toasts.textContent.includes("Max")) return;
      first.run();
      window.hasEndedFirst = true;
    };
    new MutationObserver(endFirst).observe(toasts, { childList: true, characterData: true, subtree: true });
  }`);
  const toast = page.locator(".toast");
  for (const name of ["Kim", "Max"]) {
    await page.getByRole("button", { name: "Add animal" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(name);
    await page.getByRole("dialog").getByLabel("Category").fill("7");
    await page.keyboard.press("Enter");
    await toast.getByText(`Added ${name}`).waitFor();
  }
  await until(() => page.evaluate("window.hasEndedFirst === true"));
  expect(await toast.count()).toBe(1);
});

test("in a wide window the header and the table begin at one line", async () => {
  await using service = await startWithAnimals({}, 6);
  const { page } = await open(service);
  await page.setViewportSize({ width: 2560, height: 1300 });
  await shown(page).first().waitFor();
  const [brand, table] = await Promise.all([
    page.locator(".console-bar .brand").boundingBox(),
    page.locator("main .scroll").boundingBox(),
  ]);
  expect(Math.abs(Number(brand?.x) - Number(table?.x))).toBeLessThan(4);
});

/** Loses the response to the next new animal, or the request before it arrives. */
function loseNext(page: Page, { arrives }: { readonly arrives: boolean }): Promise<unknown> {
  const lose = async (route: Route) => {
    if (arrives) await route.fetch();
    await route.abort();
  };
  return page.route("**/v1/pets", lose, { times: 1 });
}

describe("adding an animal", () => {
  test("puts the service's messages beside the fields at fault", async () => {
    await using service = await startService();
    const visit = await open(service);
    const { page } = visit;
    await page.getByRole("button", { name: "Add animal" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Category").fill("seven");
    await dialog.getByRole("button", { name: "Add animal" }).click();
    await dialog.getByText("Enter a name.").waitFor();
    for (const field of ["Name", "Category"]) {
      expect([field, await dialog.getByLabel(field).getAttribute("aria-invalid")]).toEqual([field, "true"]);
    }
    await dialog.getByText("Enter a whole number.").waitFor();
    expect(await dialog.getByText(GREATEST).isVisible()).toBe(false);
    await dialog.getByText("Allowed range").click();
    expect(await dialog.getByText(/^Must be an integer from/).innerText()).toContain(GREATEST);
    await expectAccessible(page);
    await expectToFit(page);
    await dialog.getByLabel("Name").fill(MARKUP);
    await dialog.getByLabel("Category").fill(GREATEST);
    await dialog.getByRole("button", { name: "Add animal" }).click();
    await page.getByText(`Added ${MARKUP} as 1.`).waitFor();
    expect(await row(page, 0).locator(".number").last().innerText()).toBe(GREATEST);
    await expectAccessible(page);
    expect(unexpected(visit)).toEqual([]);
  });

  for (const arrives of [true, false]) {
    const outcome = arrives
      ? "arrived is not added beside a changed one"
      : "was lost is replaced by a changed one";
    test(`whose first request ${outcome}, and the person learns it`, async () => {
      await using service = await startService();
      const { page } = await open(service);
      await page.getByText("No animals yet").waitFor();
      await loseNext(page, { arrives });
      await page.getByRole("button", { name: "Add animal" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Rex");
      await dialog.getByLabel("Category").fill("1");
      await page.keyboard.press("Enter");
      await dialog.getByText("may or may not have been added").waitFor();
      await dialog.getByLabel("Name").fill("Max");
      await page.keyboard.press("Enter");
      if (arrives) {
        await dialog.getByText("Rex was added as 1, and nothing else was").waitFor();
        await page.getByText("1 animal, ids 1 to 1").waitFor();
        await expectAccessible(page);
        await dialog.getByRole("button", { name: "Add this one, too" }).click();
      }
      await page.getByText(arrives ? "Added Max as 2." : "Added Max as 1.").waitFor();
      expect(await (await service.call("/v1/pets")).json()).toHaveLength(arrives ? 2 : 1);
    });
  }

  test("continues with another key where the first one ends meanwhile", async () => {
    await using service = await startWithAnimals(WITHOUT_FEED, 6);
    const { id, key } = await service.issueKey();
    const { page } = await open(service, key);
    await page.getByRole("button", { name: "Add animal" }).click();
    await page.getByLabel("Name").fill("Half a na");
    await page.getByLabel("Category").fill("12");
    await service.store.revokeKey(id, Date.now());
    await page.keyboard.press("Enter");
    await page.getByText("What you typed is kept").waitFor();
    await expectAccessible(page);
    await page.getByLabel("API key").fill(service.key);
    await page.keyboard.press("Enter");
    expect(await page.getByLabel("Name").inputValue()).toBe("Half a na");
    await page.getByRole("dialog").getByRole("button", { name: "Add animal" }).click();
    await page.getByText("Added Half a na as 7.").waitFor();
  });

  test("with a key that may not is refused, and the console offers it no more", async () => {
    // A service that does not say what a key may do.
    await using service = await startWithAnimals({ operations: operationsOffered("stable") });
    const { page } = await open(service, (await service.issueKey(["pets:read"])).key);
    const add = page.getByRole("button", { name: "Add animal" });
    await add.click();
    await page.getByRole("dialog").getByLabel("Name").fill("Rex");
    await page.getByRole("dialog").getByLabel("Category").fill("1");
    await page.keyboard.press("Enter");
    await page.getByText("This key may not add animals.").waitFor();
    expect(await page.locator("#may-not-add").innerText()).toContain("pets:write");
    expect(await add.count()).toBe(0);
    await page.reload();
    await shown(page).first().waitFor();
    expect(await add.count()).toBe(0);
  });

  test("is not offered to a key that may not, and the menu says what the key is", async () => {
    await using service = await startWithAnimals();
    const { page } = await open(service, (await service.issueKey(["pets:read"])).key);
    const add = page.getByRole("button", { name: "Add animal" });
    await page.getByText("This key may not add animals.").waitFor();
    await page.locator(".menu > summary").click();
    const facts = await page.locator(".key-facts").innerText();
    expect(facts.replace(/\s+/g, " ")).toBe("Name test Environment production Scopes pets:read Ends never");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    expect(await page.locator("#may-not-add").innerText()).toContain("pets:write");
    expect(await add.count()).toBe(0);
    await expectAccessible(page);
    // Who has read it needs the room.
    await page.locator("#may-not-add").getByRole("button", { name: "Dismiss" }).click();
    await page.reload();
    await page.locator(".menu > summary").click();
    await page.locator(".key-facts").waitFor();
    expect(await page.locator("#may-not-add").count()).toBe(0);
    await page.keyboard.press("Escape");
    // Another key may.
    await page.locator(".menu > summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").fill(service.key);
    await page.keyboard.press("Enter");
    await add.waitFor();
  });
});

describe("one animal", () => {
  test("opens from the table, by its id and by its address, and says when no animal has the id", async () => {
    await using service = await startWithAnimals();
    const { page } = await open(service, service.key, "/?limit=50");
    await page.getByRole("link", { name: "The greatest category" }).click();
    expect(await page.getByRole("dialog").innerText()).toContain(GREATEST);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByLabel("Find by id").fill("45");
    // The keyboard for digits on some phones has no Enter.
    await page.getByRole("button", { name: "Find", exact: true }).click();
    await page.getByRole("dialog").getByText("Animal 45").waitFor();
    await page.goto(`${service.address}/?animal=${GREATEST}`);
    await page.getByRole("dialog").getByText(`There is no animal with the id ${GREATEST}`).waitFor();
    await expectAccessible(page);
  });
});

test("an animal that is on no loaded page is found by listPets alone, once getPet is removed", async () => {
  await using service = await startService({ clock: () => Date.parse("2031-01-01") });
  for (let n = 1; n <= 230; n++) await service.create(`{"name":"Animal ${n}","categoryId":1}`);
  expect((await service.call("/v1/pets/1")).status).toBe(410);
  const { page } = await open(service, service.key, "/?animal=150");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Animal 150", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".requests > details > summary").click();
  const fromTheFirstPage = async () =>
    (await page.locator(".requests li").allInnerTexts()).filter((request) =>
      /pets\?limit=100(?!\S*cursor)/.test(request),
    ).length;
  const before = await fromTheFirstPage();
  expect(before).toBeGreaterThan(0);
  await page.getByLabel("Find by id").fill("231");
  await page.keyboard.press("Enter");
  await dialog.getByText("There is no animal with the id 231").waitFor();
  await page.keyboard.press("Escape");
  const requests = await page.locator(".requests li").allInnerTexts();
  expect(requests.filter((request) => request.includes("/v1/pets/")).length).toBe(1);
  // The second search began at the page before its id.
  expect(await fromTheFirstPage()).toBe(before);
});

test("a phone shows the first animal at once, and a row opens wherever it is clicked", async () => {
  await using service = await startWithAnimals();
  await service.create(JSON.stringify({ name: "\u202Egnp.exe\u200B", categoryId: 7, status: "sold" }));
  await service.create(JSON.stringify({ name: "long ".repeat(50), categoryId: 7, status: "sold" }));
  const { page } = await open(service);
  await page.setViewportSize({ width: 390, height: 844 });
  await shown(page).first().waitFor();
  expect((await row(page, 0).boundingBox())?.y ?? 844).toBeLessThan(260);
  await row(page, 1).locator(".state").click();
  await page.getByRole("dialog").getByRole("heading", { name: "U+202Egnp.exeU+200B" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("ids 27 to 8").waitFor();
  expect(await page.evaluate("scrollY")).toBe(0);
  await page.getByLabel("Status", { exact: true }).selectOption("Sold");
  await row(page, 1).getByText("U+202Egnp.exeU+200B").waitFor();
  const [short, long] = await Promise.all([1, 0].map((at) => row(page, at).locator(".name").boundingBox()));
  expect(long?.height ?? 0).toBeLessThan(2.5 * (short?.height ?? 0));
  await expectAccessible(page);
});

test("the menu of a row copies the animal as JSON, its link and its request", async () => {
  await using service = await startWithAnimals({}, 6);
  const visit = await browser.open(service.address, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = visit;
  await page.getByLabel("API key").fill(service.key);
  await page.keyboard.press("Enter");
  // A row is one stop of the keyboard, which finds the menu in the panel.
  await tabTo(page, page.getByRole("link", { name: "Animal 6" }));
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("The greatest category");
  await page.goto(`${service.address}/?animal=5`);
  await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Copy animal 5" }));
  await page.keyboard.press("Enter");
  await page.locator(".panel .row-menu:popover-open").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  const menu = page.getByRole("button", { name: "Copy animal 5" });
  await menu.press("Enter");
  await expectAccessible(page);
  const items = page.locator(".row-menu:popover-open button");
  expect(await items.allInnerTexts()).toEqual(["Copy as JSON", "Copy link", "Copy as curl"]);
  const copied = async (at: number) => {
    await items.nth(at).press("Enter");
    await items.nth(at).getByText("Copied").waitFor();
    return page.evaluate<string>("navigator.clipboard.readText()");
  };
  expect(await copied(0)).toContain(`"categoryId": ${GREATEST}`);
  expect(await copied(2)).toContain(`curl '${service.address}/v1/pets/5'`);
  const link = await copied(1);
  await page.keyboard.press("Escape");
  expect(await menu.evaluate((element) => element.matches(":focus"))).toBe(true);
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.goto(link);
  await page.getByRole("dialog").getByRole("heading", { name: "The greatest category" }).waitFor();
  expect(unexpected(visit)).toEqual([]);
});

test("a filter is kept in the browser, for the next visit, until it is removed", async () => {
  await using service = await startWithAnimals({}, 6);
  const { page } = await open(service);
  await page.getByText("Sold", { exact: true }).click();
  await page.getByLabel("Per page").selectOption("50");
  const more = page.locator(".more-menu > summary");
  await more.click();
  await page.getByRole("button", { name: "Keep “Sold animals, 50 per page”" }).click();
  await page.getByText("This filter is kept.").waitFor();
  await expectAccessible(page);
  await page.goto(service.address);
  await page.getByText("6 animals").waitFor();
  await more.click();
  await page.getByRole("button", { name: "Sold animals, 50 per page", exact: true }).click();
  await page.waitForURL("**/?status=sold&limit=50");
  await page.getByText("1 animal, ids 5 to 5").waitFor();
  await more.click();
  await page.getByRole("button", { name: "Remove Sold animals, 50 per page" }).click();
  await page.getByRole("button", { name: "Keep “Sold animals, 50 per page”" }).waitFor();
});

test("filters that two tabs keep at the same time are all kept", async () => {
  await using service = await startWithAnimals({}, 1);
  const { page } = await open(service);
  // The other tab takes over the key, which is known once the table is there.
  await page.locator("table.items").waitFor();
  const [other] = await Promise.all([page.waitForEvent("popup"), page.evaluate('void open("/")')]);
  for (const [tab, status] of [
    [page, "Sold"],
    [other, "Pending"],
  ] as const) {
    await tab.getByText(status, { exact: true }).click();
    await tab.waitForURL(`**/?status=${status.toLowerCase()}`);
  }
  for (const [tab, name] of [
    [page, "Sold animals"],
    [other, "Pending animals"],
  ] as const) {
    await tab.locator(".more-menu > summary").click();
    await tab.getByRole("button", { name: `Keep “${name}”` }).click();
    await tab.getByText("This filter is kept.").waitFor();
  }
  for (const name of ["Sold animals", "Pending animals"])
    await other.getByRole("button", { name: `Remove ${name}` }).waitFor();
});

test("colors are light or dark by choice, on every page and for the next visit", async () => {
  await using service = await startService();
  const { page } = await browser.open(`${service.address}/`, { colorScheme: "light" });
  const scheme = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme");
  await page.locator(".menu > summary").click();
  await page.getByLabel("Colors").selectOption("Dark");
  expect(await scheme()).toBe("dark");
  await page.goto(`${service.address}/docs`);
  expect(await scheme()).toBe("dark");
  await page.getByLabel("Colors").selectOption("As the system");
  expect(await scheme()).toBe("light dark");
});

test("the console is not blank while its script loads", async () => {
  await using service = await startService();
  const visit = await open(service);
  const { page } = visit;
  await page.getByText("No animals yet").waitFor();
  await page.route("**/console-*.js", (route) => route.abort());
  await page.reload();
  expect(await page.locator(".environment").isVisible()).toBe(true);
  expect(await page.locator(".skeleton").isVisible()).toBe(true);
  await page.evaluate("sessionStorage.clear()");
  await page.reload();
  expect(await page.getByRole("heading", { name: "Animals in production" }).isVisible()).toBe(true);
});

test("closing an animal leaves nothing behind it in the history, and the title says what is shown", async () => {
  await using service = await startWithAnimals({}, 6);
  const { page } = await open(service);
  await page.getByText("Sold", { exact: true }).click();
  await page.getByRole("link", { name: "The greatest category" }).click();
  await page.getByRole("dialog").waitFor();
  await until(async () => (await page.title()) === "Animal 5: Animal Store (production)");
  await page.keyboard.press("Escape");
  await page.waitForURL("**/?status=sold");
  await until(async () => (await page.title()) === "Sold animals: Animal Store (production)");
  await page.goBack();
  await page.getByText("6 animals").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  // An animal that a link opened has no view behind it.
  await page.goto(`${service.address}/?animal=5`);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.waitForURL(`${service.address}/`);
  await page.getByRole("dialog").waitFor({ state: "hidden" });
});

test("the filter shows what the page was made for, whatever else its address says", async () => {
  await using service = await startWithAnimals({}, 40);
  const link = (await service.call("/v1/pets?limit=20&status=pending")).headers.get("link") ?? "";
  const [, page = ""] = /<([^>]+)>/.exec(link) ?? [];
  const visit = await open(service, service.key, `/?status=sold&page=${encodeURIComponent(page)}`);
  await shown(visit.page).first().waitFor();
  expect(await visit.page.getByRole("radio", { checked: true }).count()).toBe(1);
  expect(await visit.page.getByRole("radio", { name: "Pending" }).isChecked()).toBe(true);
});

test("a late response does not replace the animal that is open by then", async () => {
  await using service = await startWithAnimals(WITHOUT_FEED);
  const { page } = await open(service);
  await shown(page).first().waitFor();
  const { promise: late, resolve: answer } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const note = (request: Request) => request.url().endsWith("/v1/pets/5") && over.resolve();
  page.on("requestfinished", note);
  // The browser may have given the request up.
  page.on("requestfailed", note);
  await page.route("**/v1/pets/5", async (route) => {
    asked.resolve();
    await late;
    await route.continue().catch(() => {});
  });
  for (const id of [6, 5]) await page.evaluate(`history.pushState({ trail: [] }, "", "?animal=${id}")`);
  await page.evaluate("dispatchEvent(new PopStateEvent('popstate'))");
  await page.getByRole("dialog").getByText("Loading animal 5").waitFor();
  // The dialog says so before the page asks, and a page that has gone back asks no more.
  await asked.promise;
  await page.goBack();
  const title = page.getByRole("dialog").getByRole("heading", { level: 2 });
  await title.getByText("Animal 6", { exact: true }).waitFor();
  answer();
  await over.promise;
  // What the page does with the response it has done once it runs something else.
  await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
  expect(await title.innerText()).toBe("Animal 6");
});

test("the keyboard alone can enter a key, turn pages, open an animal and add one", async () => {
  await using service = await startWithAnimals();
  const { page } = await browser.open(`${service.address}/`);
  await page.keyboard.type(service.key);
  await page.keyboard.press("Enter");
  const animal = page.getByRole("link", { name: "Animal 45" });
  await tabTo(page, animal);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  // The browser's history closes it, in a moment of its own. Its title has the same words as the link.
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await animal.evaluate((element) => element.matches(":focus"))).toBe(true);
  await tabTo(page, page.getByRole("button", { name: "Next" }));
  await page.keyboard.press("Enter");
  await page.getByText("ids 25 to 6").waitFor();
  await page.reload();
  await tabTo(page, page.getByRole("button", { name: "Add animal" }));
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("Mia");
  await page.keyboard.press("Tab");
  await page.keyboard.type("3");
  await page.keyboard.press("Enter");
  await page.getByText("Added Mia as 46.").waitFor();
});

describe("when something fails:", () => {
  const cases: readonly (readonly [
    name: string,
    heading: string,
    provoke: (visit: Visit, service: Service) => unknown,
  ])[] = [
    ["the browser is offline", "You are offline", ({ page }) => page.context().setOffline(true)],
    ["the service has gone", "The service does not answer", (_, service) => service[Symbol.asyncDispose]()],
  ];
  for (const [name, heading, provoke] of cases) {
    test(name, async () => {
      const service = await startWithAnimals({}, 6);
      const visit = await open(service);
      const { page } = visit;
      await shown(page).first().waitFor();
      await provoke(visit, service);
      await page.getByRole("button", { name: "Refresh" }).click();
      await page.getByRole("heading", { name: heading }).waitFor();
      // What was loaded before stays, and is said to be old.
      await page.getByText("The animals below are as they were.").waitFor();
      expect(await shown(page).count()).toBe(6);
      await page.locator(".feed-state.reconnecting").waitFor();
      await expectAccessible(page);
      await expectToFit(page);
      if (heading !== "You are offline") return;
      await page.context().setOffline(false);
      await page.getByRole("heading", { name: heading }).waitFor({ state: "detached" });
      await service[Symbol.asyncDispose]();
    });
  }

  test("the store is unavailable: 503, and the table comes back by itself", async () => {
    await using service = await startWithAnimals({}, 6);
    const { page } = await open(service);
    await shown(page).first().waitFor();
    {
      await using _ = await service.database.breakDown();
      await page.getByText("Pending", { exact: true }).click();
      await page.getByRole("heading", { name: "The store is not available" }).waitFor();
      await page.getByText("it cannot use its store at the moment").waitFor();
      // That is for programs: the console waits by itself.
      expect(await page.getByText("Retry-After").count()).toBe(0);
      await expectAccessible(page);
    }
    await page.getByRole("link", { name: "Animal 6", exact: true }).waitFor();
  });

  test("too many requests: 429, and the time of the next attempt", async () => {
    await using service = await startService({ rateLimit: { quota: 2, windowSeconds: 3600 } });
    const { page } = await open(service);
    await page.getByText("No animals yet").waitFor();
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("heading", { name: "Too many requests" }).waitFor();
    await page.getByText("Trying again in 30 min").waitFor();
    await expectAccessible(page);
  });

  test("too many requests: the console asks again after Retry-After, and not before", async () => {
    await using service = await startWithAnimals(WITHOUT_FEED, 6);
    const { page } = await open(service);
    await shown(page).first().waitFor();
    await page.clock.install();
    let attempts = 0;
    await page.route("**/v1/pets?*", (route) =>
      ++attempts === 1 ? route.fulfill({ status: 429, headers: { "Retry-After": "40" } }) : route.continue(),
    );
    const began = await page.evaluate<number>("Date.now()");
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText(/Trying again in \d+ s/).waitFor();
    while (attempts === 1) await page.clock.runFor(1000);
    expect((await page.evaluate<number>("Date.now()")) - began).toBeGreaterThanOrEqual(40_000);
    await page.clock.resume();
    await page.locator(".problem").waitFor({ state: "detached" });
  });

  test("too many requests: an attempt by hand begins the wait again, as its own Retry-After says", async () => {
    await using service = await startWithAnimals(WITHOUT_FEED, 6);
    const { page } = await open(service);
    await shown(page).first().waitFor();
    await page.clock.install();
    let attempts = 0;
    await page.route("**/v1/pets?*", (route) => {
      const headers = { "Retry-After": "2", "X-Request-Id": `attempt-${++attempts}` };
      return route.fulfill({ status: 429, headers });
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 60_000);
    const answered = () =>
      until(async () =>
        (await page.locator(".problem code").allInnerTexts()).includes(`attempt-${attempts}`),
      );
    // By itself, and then by hand before the first second has passed.
    await answered();
    const byItself = attempts;
    while (attempts === byItself) await page.clock.runFor(50);
    await answered();
    await page.clock.runFor(900);
    const byHand = attempts;
    await page.getByRole("button", { name: "Try now" }).dispatchEvent("click");
    await until(() => attempts > byHand);
    await answered();
    const last = attempts;
    const began = await page.evaluate<number>("Date.now()");
    while (attempts === last) await page.clock.runFor(50);
    expect((await page.evaluate<number>("Date.now()")) - began).toBeGreaterThanOrEqual(2000);
  });

  test("the key may not read: 403, and another can be used", async () => {
    await using service = await startService();
    const { page } = await open(service, (await service.issueKey(["pets:write"])).key);
    await page.getByRole("heading", { name: "This key may not do that" }).waitFor();
    await page.getByText("lacks the scope pets:read").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Use another key" }).click();
    await page.getByLabel("API key").waitFor();
  });

  test("a key that may not read, after a refused key: the console does not call it refused", async () => {
    await using service = await startService(WITHOUT_FEED);
    const { id, key } = await service.issueKey();
    const { page } = await open(service, key);
    await page.getByText("No animals yet").waitFor();
    await service.store.revokeKey(id, Date.now());
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The service refused this key").waitFor();
    await page.getByLabel("API key").fill((await service.issueKey(["pets:write"])).key);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Use another key" }).click();
    await page.getByLabel("API key").waitFor();
    expect(await page.getByText("The service refused this key").count()).toBe(0);
  });

  test("a network answers in the service's place, until the user has signed in there", async () => {
    await using service = await startWithAnimals({}, 6);
    const visit = await open(service);
    const { page } = visit;
    await shown(page).first().waitFor();
    await page.route("**/v1/pets?*", (route) =>
      route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Welcome to the hotel</h1>" }),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("heading", { name: "Something else answered" }).waitFor();
    await expectAccessible(page);
    await page.unroute("**/v1/pets?*");
    await page.getByRole("button", { name: "Try now" }).click();
    await page.locator(".problem").waitFor({ state: "detached" });
    expect(unexpected(visit)).toEqual([]);
  });

  test("an outage: the console keeps trying, and the focus stays where it is", async () => {
    await using service = await startWithAnimals({}, 6);
    const visit = await browser.open(`${service.address}/`);
    const { page } = visit;
    await page.clock.install();
    await page.reload();
    await page.getByLabel("API key").fill(service.key);
    await page.keyboard.press("Enter");
    await shown(page).first().waitFor();
    let attempts = 0;
    await page.route("**/v1/pets?*", (route) => {
      attempts++;
      return route.abort();
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    const tryNow = page.getByRole("button", { name: "Try now" });
    await tryNow.focus();
    await page.keyboard.press("Enter");
    // The console records the last hundred requests.
    while (attempts < 110) await page.clock.runFor(1000);
    expect(await tryNow.evaluate((element) => element.matches(":focus"))).toBe(true);
    await page.unroute("**/v1/pets?*");
    await page.clock.resume();
    await page.locator(".problem").waitFor({ state: "detached" });
  });

  test("the service fails: 500, with the id of the request for its operator", async () => {
    await using database = await createSqliteDatabase();
    const store = await openStore(database.url, Date.now, {});
    const failing = new Proxy(store, {
      get(target, name) {
        if (name === "listAnimals" || name === "addAnimal")
          return () => Promise.reject(new Error("no such luck"));
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await using service = await startService({ store: failing });
    const { page } = await open(service);
    await page.getByRole("heading", { name: "Something went wrong" }).waitFor();
    await page.getByText("Give the operator this request ID").waitFor();
    await page.getByRole("button", { name: "Add animal" }).click();
    await page.getByLabel("Name").fill("Rex");
    await page.getByLabel("Category").fill("1");
    await page.keyboard.press("Enter");
    const id = await page.getByRole("dialog").locator(".fault code").innerText();
    expect(service.answered.map(({ requestId }) => requestId)).toContain(id);
    await page.keyboard.press("Escape");
    await page.locator(".requests > details > summary").click();
    expect(await page.locator(".requests li").first().innerText()).toContain(`Request ${id}`);
    expect(await page.content()).not.toContain("no such luck");
    await expectAccessible(page);
  });

  test("while a response is slow, the page shows a placeholder table", async () => {
    await using service = await startWithAnimals({}, 6);
    const visit = await open(service);
    const { page } = visit;
    await shown(page).first().waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route("**/v1/pets?*", async (route) => {
      await promise;
      await route.continue();
    });
    await page.reload();
    await page.getByText("Loading animals…").waitFor({ state: "attached" });
    await expectAccessible(page);
    resolve();
    await shown(page).first().waitFor();
  });
});

test("the keyboard leaves a menu and the menu closes, and Escape gives the focus back to its button", async () => {
  await using service = await startWithAnimals({}, 6);
  const { page } = await open(service);
  await shown(page).first().waitFor();
  const more = page.locator(".more-menu");
  const summary = more.locator("summary");
  const isOpen = () => more.evaluate((element) => element.hasAttribute("open"));
  const isFocused = () => summary.evaluate((element) => element.matches(":focus"));
  await tabTo(page, summary);
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: "Import a CSV file" }));
  expect(await isOpen()).toBe(true);
  await page.keyboard.press("Escape");
  expect([await isOpen(), await isFocused()]).toEqual([false, true]);
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: "Add animal" }));
  expect(await isOpen()).toBe(false);
  await page.keyboard.press("Shift+Tab");
  expect(await isFocused()).toBe(true);
});

test("a narrow phone shows the header and the controls of each list in one line each, and Live is a word", async () => {
  await using service = await startWithAnimals({}, 6);
  await service.store.recordEvents(true);
  const { page } = await open(service);
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ width, height: 740 });
    for (const section of ["Animals", "Orders"]) {
      await page.getByRole("link", { name: section, exact: true }).click();
      await page.getByRole("heading", { name: section, level: 1 }).waitFor({ state: "attached" });
      await page.locator(".feed-state.connected").waitFor();
      for (const line of [".console-bar > *", ".toolbar > *, .toolbar-end > *"]) {
        const middles = await page.evaluate<number[]>(`[...document.querySelectorAll("${line}")]
          .filter((part) => part.checkVisibility())
          .map((part) => part.getBoundingClientRect())
          .map(({ top, bottom }) => (top + bottom) / 2)`);
        expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(8);
      }
      const cut = await page.evaluate<number>(`(() => {
        const word = document.createRange();
        word.selectNodeContents(document.querySelector(".feed-state"));
        return word.getBoundingClientRect().right - document.querySelector(".feed").getBoundingClientRect().right;
      })()`);
      expect([width, section, cut < 0 || cut]).toEqual([width, section, true]);
    }
  }
  await expectAccessible(page);
});

test("on a phone the word for a feed that is not live is whole, and comes once an attempt has failed", async () => {
  await using service = await startWithAnimals({}, 1);
  const { page } = await browser.open(service.address, { viewport: { width: 320, height: 740 } });
  const first = Promise.withResolvers<void>();
  await page.route("**/v1/events?*", async (route) => {
    await first.promise;
    await route.abort();
  });
  await page.getByLabel("API key").fill(service.key);
  await page.keyboard.press("Enter");
  await shown(page).first().waitFor();
  // Nothing is wrong before the first attempt has failed.
  const state = page.locator(".feed-state");
  expect(await state.innerText()).toBe("Connecting…");
  expect((await state.boundingBox())?.width).toBeLessThan(24);
  await expectAccessible(page, ".toolbar");
  first.resolve();
  await page.locator(".feed-state.reconnecting").getByText("Not live").waitFor();
  const word = await page.locator(".feed-state").boundingBox();
  const room = await page.locator(".feed summary").boundingBox();
  if (!word || !room) throw new Error("it is not shown");
  expect(word.x + word.width).toBeLessThanOrEqual(room.x + room.width);
  expect(word.height).toBeLessThan(room.height);
});

test("each menu is in the window as a whole, however narrow", async () => {
  await using service = await startWithAnimals({}, 1);
  await service.store.recordEvents(true);
  const { page } = await open(service);
  await page.setViewportSize({ width: 320, height: 740 });
  await page.locator(".feed-state.connected").waitFor();
  for (const path of ["/", "/?view=orders", "/?view=orders&pet=1"]) {
    await page.goto(service.address + path);
    for (const menu of [".menu", ".more-menu", ".feed"]) {
      await page.locator(`${menu} > summary`).click();
      const box = await page.locator(`${menu} .drop-down`).boundingBox();
      const { x = -1, width = 0 } = box ?? {};
      expect([path, menu, x >= 0, x + width <= 320]).toEqual([path, menu, true, true]);
      await page.keyboard.press("Escape");
    }
  }
});

test("on a phone the menu of the list finds an animal by its id, and a filter in use stays in sight", async () => {
  await using service = await startWithAnimals({}, 6);
  await service.call("/v1/orders", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"petId":1}',
  });
  const { page } = await open(service);
  await page.setViewportSize({ width: 390, height: 844 });
  const menu = page.locator(".more-menu > summary");
  await page.getByLabel("Find by id").waitFor({ state: "hidden" });
  await menu.click();
  await page.getByLabel("Find by id").fill("6");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByRole("dialog").getByText("Animal 6").first().waitFor();
  expect(await page.locator(".more-menu[open]").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await page.locator(".orders td").first().waitFor();
  await menu.click();
  await page.getByLabel("Orders of animal").fill("2");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("heading", { name: "No open orders of animal 2" }).waitFor();
  expect(await page.getByLabel("Orders of animal").inputValue()).toBe("2");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.locator(".orders td").first().waitFor();
  await page.getByLabel("Orders of animal").waitFor({ state: "hidden" });
});

test("on a phone the status stands next to the name, however long the numbers below them are", async () => {
  await using service = await startWithAnimals({}, 6);
  const { page } = await open(service);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const text of ["The greatest category", "Animal 6"]) {
    const card = page.locator(".items tbody tr").filter({ hasText: text });
    const tops = await Promise.all(
      [".name", ".state", ".number >> nth=0"].map(
        async (part) => (await card.locator(part).boundingBox())?.y,
      ),
    );
    const [name = 0, state = 0, id = 0] = tops;
    expect([text, Math.abs(name - state) < 8, id > state + 10]).toEqual([text, true, true]);
  }
});

test("a high-contrast mode shows what has the focus and what is selected", async () => {
  await using service = await startWithAnimals({}, 6);
  const { page } = await browser.open(`${service.address}/`, { forcedColors: "active" });
  await page.getByLabel("API key").fill(service.key);
  await page.keyboard.press("Enter");
  await shown(page).first().waitFor();
  await tabTo(page, page.getByLabel("Find by id"));
  const link = page.locator(".sections a");
  const background = "getComputedStyle(element).backgroundColor";
  const colorOf = (at: number) =>
    link.nth(at).evaluate(new Function("element", `return ${background}`) as never);
  expect(await colorOf(0)).not.toEqual(await colorOf(1));
  const style = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`);
  expect(await style("#find-id", "outlineStyle")).toBe("solid");
  expect(await style(".segments input:checked + span", "backgroundColor")).not.toBe(
    await style(".segments input:not(:checked) + span", "backgroundColor"),
  );
});

test("a printed page has the table, without the buttons", async () => {
  await using service = await startWithAnimals({}, 6);
  const { page } = await open(service);
  await shown(page).first().waitFor();
  await page.getByLabel("Choose animal 6").check();
  await page.getByRole("region", { name: "Chosen animals" }).waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  for (const role of ["button", "checkbox"] as const)
    expect([role, await page.getByRole(role).filter({ visible: true }).count()]).toEqual([role, 0]);
  expect(await page.locator(".selection").isVisible()).toBe(false);
  expect(await page.locator(".items").getByRole("link").allInnerTexts()).toEqual([
    "Animal 6",
    "The greatest category",
    ...NAMES.toReversed(),
  ]);
  expect(await page.locator(".environment").isVisible()).toBe(true);
  expect(await page.evaluate("getComputedStyle(document.documentElement).colorScheme")).toBe("light");
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("link", { name: "Animal 6", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("dialog").getByRole("button").filter({ visible: true }).count()).toBe(0);
});

test("production and staging look different", async () => {
  await using production = await startService();
  await using staging = await startService({ environment: "staging" });
  const looks = await Promise.all(
    [production, staging].map(async ({ address }) => {
      const { page } = await browser.open(`${address}/`);
      const icon = await page.locator("link[rel=icon]").getAttribute("href");
      const badge = page.locator(".environment");
      const color = await page.evaluate<string>(
        "getComputedStyle(document.querySelector('.environment')).backgroundColor",
      );
      await expectAccessible(page);
      return [await page.title(), await page.locator("h1").innerText(), await badge.innerText(), icon, color];
    }),
  );
  expect(looks[0]?.slice(0, 3)).toEqual(["Animal Store (production)", "Animals in production", "Production"]);
  expect(looks[1]?.slice(0, 3)).toEqual(["Animal Store (staging)", "Animals in staging", "Staging"]);
  expect(looks[0]?.[3]).not.toBe(looks[1]?.[3] ?? "");
  expect(looks[0]?.[4]).toStartWith("rgb");
  expect(looks[0]?.[4]).not.toBe(looks[1]?.[4] ?? "");
});
