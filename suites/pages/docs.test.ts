import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { expectAccessible, expectToFit, violationsOf } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { type Service, startService } from "../../test/support/service.ts";

const GREATEST = "9223372036854775807";
const LANGUAGES = ["curl", "JavaScript", "Python", "Go", "Java", "PHP", "Ruby", "C#", "TypeScript"];

let service: Service;
let browser: TestBrowser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), startBrowser()]);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const open = (path: string, options = {}) => browser.open(service.address + path, options);
const operation = (page: Page, id: string) => page.locator(`#${id}`);

describe("without a script", () => {
  const plain = { javaScriptEnabled: false };

  test("each object has a section, which operations link to, and each Error of an operation an example", async () => {
    const { page } = await open("/docs", plain);
    for (const name of ["Animal", "Order", "Event", "Error"])
      expect(await page.locator(`#${name} .examples pre`).innerText()).toStartWith("{");
    await operation(page, "listPets").getByRole("link", { name: "Animal", exact: true }).click();
    expect(new URL(page.url()).hash).toBe("#Animal");
    await page.locator("#Event").getByRole("link", { name: "Order", exact: true }).click();
    expect(new URL(page.url()).hash).toBe("#Order");
    const errors = operation(page, "updateOrder").locator(".response-examples");
    await errors.getByText("409 invalid_transition").click();
    expect(await errors.locator("pre:visible").innerText()).toContain('"code": "invalid_transition"');
  });

  test("what is not stable yet cannot be overlooked, beside the operation and in the navigation", async () => {
    await using beta = await startService({ operations: operationsOffered("beta") });
    const { page } = await browser.open(`${beta.address}/docs`, plain);
    for (const id of ["placeOrder", "listOrders", "getOrder", "updateOrder"]) {
      expect(await operation(page, id).getByRole("note").innerText()).toStartWith("Beta.");
      expect(await operation(page, id).locator(".badges .beta").isVisible()).toBe(true);
      expect(await page.locator(`.sidebar a[href$="#${id}"] .beta`).innerText()).toBe("beta");
    }
    expect(await operation(page, "updateOrder").innerText()).toContain(
      "application/json or application/merge-patch+json",
    );
    expect(await operation(page, "listPets").getByRole("note").count()).toBe(0);
  });

  test("the menu of a phone opens, and its links lead there", async () => {
    const { page } = await open("/docs/errors", { ...plain, viewport: { width: 390, height: 800 } });
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Add an animal" }).click();
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/docs#createPet");
  });

  test("a table with words as wide as a phone shows every cell there", async () => {
    const { page } = await open("/docs/guides/sandbox", { ...plain, viewport: { width: 390, height: 800 } });
    const box = await page.getByText("read and add animals").boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  });

  test("a table of two columns and the message of an Error are in full sight on a phone", async () => {
    const { page } = await open("/docs", { ...plain, viewport: { width: 390, height: 800 } });
    for (const [path, part] of [
      ["guides/operations", "main .scroll:not(:has(th:nth-child(3)))"],
      ["guides/clients", "main .scroll:has(.records)"],
      ["errors/events_expired", "main pre"],
    ]) {
      await page.goto(`${service.address}/docs/${path}`);
      const boxes = page.locator(part ?? "");
      const cut = await boxes.evaluateAll(
        (each) => each.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
      );
      expect([path, (await boxes.count()) > 0, cut]).toEqual([path, true, 0]);
    }
  });

  test("only an operation that is deprecated has the headers of deprecation", async () => {
    const { page } = await open("/docs", plain);
    const headers = (id: string) => operation(page, id).locator(".own-headers").allInnerTexts();
    expect((await headers("getPet")).join()).toContain("Sunset");
    expect((await headers("listOrders")).join()).not.toContain("Sunset");
  });
});

test("a key of the other environment, or anything else that is not a key, is refused", async () => {
  const { page } = await open("/docs");
  const form = page.locator("#key");
  for (const [text, fault] of [
    ["Rex", "A key for production begins with as_live_"],
    [`as_test_${"x".repeat(36)}`, "This is production, and the key is for staging"],
    [" ", "Enter an API key."],
  ] as const) {
    await form.getByLabel("Your API key").fill(text);
    await page.keyboard.press("Enter");
    await form.getByText(fault).waitFor();
  }
});

test("a body that is changed after it was sent gets an Idempotency-Key of its own", async () => {
  const { page } = await open("/docs");
  await page.getByLabel("Your API key").first().fill(service.key);
  await page.keyboard.press("Enter");
  const create = operation(page, "createPet");
  await create.getByText("Try it", { exact: true }).click();
  const key = create.getByLabel("Idempotency-Key");
  const send = async (status: number, keyed: string) => {
    await create.getByRole("button", { name: "Send request" }).click();
    const head = create.locator(".result h3", { hasText: String(status) });
    await head.waitFor();
    await create.locator(".result dd", { hasText: keyed }).waitFor({ state: "attached" });
  };
  const first = await key.inputValue();
  await send(201, first);
  await create.getByLabel("Body").fill('{"name":"Mia","categoryId":1}');
  expect(await key.inputValue()).not.toBe(first);
  await send(201, await key.inputValue());
  // A reader's own key stays: it shows what 422 looks like.
  await key.fill("own");
  await send(201, "own");
  await create.getByLabel("Body").fill('{"name":"Zoe","categoryId":1}');
  expect(await key.inputValue()).toBe("own");
  await send(422, "own");
});

test("the navigation shows the current guide, and has room for each of its words", async () => {
  const { page } = await open("/docs/guides/verify", { viewport: { width: 1440, height: 700 } });
  const current = page.locator(".sidebar a[aria-current=page]");
  await current.and(page.locator(":visible")).waitFor();
  const box = await current.boundingBox();
  expect([box !== null, (box?.y ?? -1) >= 0, (box?.y ?? 700) < 700]).toEqual([true, true, true]);
  expect(await page.evaluate("scrollY")).toBe(0);
  // As wide as the letters of DejaVu Sans.
  await page.evaluate("document.querySelector('.sidebar').style.letterSpacing = '0.1em'");
  const sidebar = await page.locator(".sidebar").boundingBox();
  const badge = await page.locator(".sidebar .environment").boundingBox();
  expect((badge?.x ?? 0) + (badge?.width ?? 0)).toBeLessThanOrEqual(sidebar?.width ?? 0);
  const feed = await page.locator(".sidebar a[href$='#listEvents'] .operation-name").boundingBox();
  const line = await page.locator(".sidebar a[href$='#listPets'] .operation-name").boundingBox();
  expect(feed?.height ?? 0).toBeLessThanOrEqual(2.2 * (line?.height ?? 0));
});

test("the environment and search stay in sight however far the navigation is scrolled, and cover no link that has the focus", async () => {
  const { page } = await open("/docs/guides/paging", { viewport: { width: 1440, height: 900 } });
  await page.locator(".search-slot button").waitFor();
  await page.locator(".sidebar li a").last().focus();
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press("Shift+Tab");
    const [isOnTop, isCovered] = await page.evaluate<[boolean, boolean]>(`(() => {
      const { left, top, bottom } = document.querySelector(".search-slot button").getBoundingClientRect();
      const found = document.elementFromPoint(left + 5, top + 5)?.closest(".search-slot");
      const badge = document.querySelector(".sidebar .environment").getBoundingClientRect();
      const isBadge = document.elementFromPoint(badge.left + 9, badge.top + 9)?.matches(".environment");
      return [Boolean(found && isBadge), document.activeElement.getBoundingClientRect().top < bottom];
    })()`);
    expect([presses, isOnTop, isCovered]).toEqual([presses, true, false]);
  }
});

test("a service that listens on every address shows the address that the reader uses", async () => {
  await using everywhere = await startService({ host: "0.0.0.0" });
  const address = everywhere.address.replace("127.0.0.1", "localhost");
  const { page, problems } = await browser.open(`${address}/docs`);
  await page.getByText(`${address}/v1/pets?limit=20&status=available`).first().waitFor();
  await page.goto(`${address}/docs/guides/start`);
  await page.getByText(`${address}/v1/pets`).first().waitFor();
  expect(await page.locator("article").innerText()).not.toContain("example/v1");
  expect(problems).toEqual([]);
});

test("the samples follow what is entered, in every language", async () => {
  const { page, problems } = await open("/docs");
  const create = operation(page, "createPet");
  await create.getByText("Try it", { exact: true }).click();
  await create.getByLabel("Body").fill(`{"name":"a\`b\${c}","categoryId":${GREATEST},"extra":null}`);
  const expectSample = async (id: string, language: string, words: string) => {
    const samples = operation(page, id).locator(".samples");
    await samples.getByRole("tab", { name: language, exact: true }).click();
    await samples.getByRole("tabpanel").filter({ hasText: words }).waitFor();
  };
  for (const [language, words] of [
    ["curl", `"categoryId": ${GREATEST}`],
    ["JavaScript", `"name": "a\\\`b\\\${c}"`],
    ["Python", '"extra": None'],
    ["Go", `\\"name\\": \\"a\`b\${c}\\"`],
    ["Java", `"categoryId": ${GREATEST}`],
    ["PHP", `"name": "a\`b\${c}"`],
    ["Ruby", `"extra": null`],
    ["C#", `""categoryId"": ${GREATEST}`],
    ["TypeScript", `categoryId: ${GREATEST}n`],
  ] as const)
    await expectSample("createPet", language, words);
  const list = operation(page, "listPets");
  await list.getByText("Try it", { exact: true }).click();
  await list.getByLabel("status").selectOption("sold");
  await list.getByLabel("If-None-Match").fill('W/"1"');
  await expectSample("listPets", "Python", "limit=20&status=sold");
  for (const language of LANGUAGES) await expectSample("listPets", language, "If-None-Match");
  expect(await list.locator(".samples .t-kwd").count()).toBeGreaterThan(0);
  await operation(page, "getPet").getByText("Try it", { exact: true }).click();
  await operation(page, "getPet").getByLabel("petId").fill("seven");
  await expectSample("getPet", "TypeScript", 'BigInt("seven")');
  expect(problems).toEqual([]);
});

test("a language whose samples cannot be loaded leaves the others, and can be chosen again", async () => {
  const { page } = await open("/docs");
  await page.route("**/samples/java.md", (route) => route.abort(), { times: 1 });
  const create = operation(page, "createPet");
  const java = create.getByRole("tab", { name: "Java", exact: true });
  await java.click();
  await create.getByText("The samples in Java could not be loaded").waitFor();
  expect(await create.getByRole("tab", { selected: true }).innerText()).toBe("curl");
  await java.click();
  await create.getByRole("tabpanel").filter({ hasText: "public class Sample" }).waitFor();
  expect(await create.getByText("could not be loaded").isVisible()).toBe(false);
});

test("the feed is read as a stream, event by event", async () => {
  await service.store.recordEvents(true);
  const { page, problems } = await open("/docs");
  await page.getByLabel("Your API key").first().fill(service.key);
  await page.keyboard.press("Enter");
  const events = operation(page, "listEvents");
  await events.getByText("Try it", { exact: true }).click();
  for (const name of ["type", "from"]) await events.getByLabel(name, { exact: true }).selectOption("");
  await events.getByRole("button", { name: "Open the stream" }).click();
  await events.getByText("Open: events appear").waitFor();
  await fetch(`${service.address}/v1/pets`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Streamed", categoryId: 1 }),
  });
  await events.getByRole("log").filter({ hasText: '"name":"Streamed"' }).waitFor();
  expect(await events.locator(".stream > .code").last().innerText()).toMatch(
    /curl -N .*'Accept: text\/event-stream'/s,
  );
  await expectAccessible(page, "#listEvents .try");
  await events.getByRole("button", { name: "Close the stream" }).click();
  await events.getByText("The stream is closed.").waitFor();
  expect(problems).toEqual([]);
});

test("a long list in a description is folded, and opens by keyboard", async () => {
  const { page } = await open("/docs");
  const name = page.locator("#createPet-body-name");
  expect(await name.getByText("U+202F").isVisible()).toBe(false);
  await name.locator("summary").getByText("White_Space property").focus();
  await page.keyboard.press("Enter");
  await name.getByText("U+202F").waitFor();
  await expectAccessible(page, "#createPet-body-name");
});

test("each parameter and each member has an address", async () => {
  const { page } = await open("/docs#createPet");
  const category = operation(page, "createPet").getByRole("link", { name: "categoryId" }).first();
  await category.click();
  expect(new URL(page.url()).hash).toBe("#createPet-body-categoryId");
  const ids: string[] = await page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)");
  expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([]);
});

test("the navigation marks the operation that is being read", async () => {
  const { page } = await open("/docs#createPet");
  const marked = page.locator(".sidebar a[aria-current]");
  await marked.filter({ hasText: "Add an animal" }).waitFor();
  await page.locator(".sidebar").getByText("Get an order").click();
  await marked.filter({ hasText: "Get an order" }).waitFor();
  expect(await marked.count()).toBe(1);
});

test("in a wide window the navigation and the page are centered", async () => {
  const { page } = await open("/docs", { viewport: { width: 2560, height: 1300 } });
  const navigation = await page.locator(".sidebar details").first().boundingBox();
  const code = await page.locator("#createPet .examples").boundingBox();
  const right = 2560 - ((code?.x ?? 0) + (code?.width ?? 0));
  expect(Math.abs((navigation?.x ?? 0) - right)).toBeLessThan(60);
});

test("the navigation shows the operation that is being read, up to the first", async () => {
  const { page } = await open("/docs", { viewport: { width: 1440, height: 500 } });
  await page.locator(".search-slot button").waitFor();
  const ids = await page
    .locator(".sidebar .operation-link")
    .evaluateAll((links) => links.map((link) => (link as unknown as { hash: string }).hash.slice(1)));
  expect(ids.length).toBeGreaterThan(6);
  for (const id of ["Error", ...ids.toReversed()]) {
    await page.evaluate(`document.getElementById("${id}").scrollIntoView()`);
    const link = page.locator(`.sidebar a[aria-current][href$="#${id}"]`);
    await link.waitFor();
    const search = await page.locator(".search-slot").boundingBox();
    const { y = 0 } = (await link.boundingBox()) ?? {};
    expect([id, y >= (search?.y ?? 0) + (search?.height ?? 0), y < 500]).toEqual([id, true, true]);
  }
});

test("the address names the section that is being read, and keeps what the reader chose", async () => {
  const { page } = await open("/docs");
  const scrollTo = (id: string) => page.evaluate(`document.getElementById("${id}").scrollIntoView()`);
  await scrollTo("getOrder");
  await page.waitForURL("**/docs#getOrder");
  await scrollTo("Animal");
  await page.waitForURL("**/docs#Animal");
  expect(await page.evaluate("history.length")).toBe(2);
  await page.evaluate("scrollTo(0, 0)");
  await page.waitForURL("**/docs");
  await page.goto(`${service.address}/docs/guides/sandbox`);
  await page.locator(".on-this-page a").nth(3).click();
  const chosen = page.url();
  await page.locator(".on-this-page a[aria-current]").waitFor();
  expect(page.url()).toBe(chosen);
});

test("a guide says first what it is for, next to its sections and the button that copies it", async () => {
  const { page } = await open("/docs/guides/paging", { viewport: { width: 1440, height: 900 } });
  expect(await page.locator(".on-this-page a").allInnerTexts()).toEqual(["Paging", "What you can rely on"]);
  await page.locator('.on-this-page a[aria-current][href="#paging"]').waitFor();
  const [title, copy, code] = await Promise.all(
    ["h1", ".copy-markdown", ".prose .code"].map((part) =>
      page.locator(`article ${part}`).first().boundingBox(),
    ),
  );
  if (!title || !copy || !code) throw new Error("a part is not shown");
  expect([copy.x > title.x, copy.y < title.y + title.height]).toEqual([true, true]);
  expect(Math.round(copy.x + copy.width)).toBe(Math.round(code.x + code.width));
  const [first, second] = await page.evaluate<number[]>(
    "[...document.querySelectorAll('article p')].map((each) => parseFloat(getComputedStyle(each).fontSize))",
  );
  expect(first).toBeGreaterThan(second ?? 0);
  await expectToFit(page);
});

test("a heading of a guide links to itself", async () => {
  const { page } = await open("/docs/guides/sandbox");
  const heading = page.locator("article h2 a").nth(1);
  const id = await page.locator("article h2").nth(1).getAttribute("id");
  await heading.click();
  expect(new URL(page.url()).hash).toBe(`#${id}`);
});

test("a page is copied as Markdown, with the address that the reader uses", async () => {
  await using everywhere = await startService({ host: "0.0.0.0" });
  const address = everywhere.address.replace("127.0.0.1", "localhost");
  const { page, problems } = await browser.open(`${address}/docs`, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  for (const [path, words] of [
    ["/docs", `curl '${address}/v1/pets?limit=20&status=available'`],
    ["/docs/guides/paging", "# Paging"],
    ["/docs/errors", "## `unauthorized` (401)"],
  ] as const) {
    await page.goto(address + path);
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain(words);
  }
  expect(problems).toEqual([]);
});

test("a refused call names the page of its code", async () => {
  const { page } = await open("/docs");
  const list = operation(page, "listPets");
  await list.getByText("Try it", { exact: true }).click();
  await list.getByRole("button", { name: "Send request" }).click();
  await list.getByRole("link", { name: "What unauthorized means" }).click();
  await page.waitForURL("**/docs/errors/unauthorized");
  expect(await page.locator("h1").innerText()).toBe("unauthorized");
});

test("a response of another program is shown unchanged, and an invalid header value is not sent", async () => {
  const { page, problems } = await open("/docs");
  await page.route("**/v1/pets*", (route) =>
    route.fulfill({ status: 504, contentType: "application/json", body: "" }),
  );
  const list = operation(page, "listPets");
  await list.getByText("Try it", { exact: true }).click();
  await list.getByLabel("Your API key").fill("as_live_…wxyz");
  await list.getByRole("button", { name: "Use it" }).click();
  await list.getByText("copy all of it, and nothing else").waitFor();
  const send = list.getByRole("button", { name: "Send request" });
  await send.click();
  await list.getByText("The response has no body.").waitFor();
  await list.getByLabel("X-Request-Id").fill("“7”");
  await send.click();
  await list.getByText("The header X-Request-Id has a character that no header can carry").waitFor();
  expect(problems.filter((problem) => problem.startsWith("uncaught"))).toEqual([]);
});

test("search works in browsers without `RegExp.escape`", async () => {
  const { page, problems } = await open("/docs");
  await page.evaluate("delete RegExp.escape");
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Search" }).fill("(RFC 8288)");
  await page.locator(".finding mark").first().waitFor();
  expect(problems).toEqual([]);
});

test("each label of a form names a field of its own", async () => {
  const { page } = await open("/docs");
  for (const form of await page.getByText("Try it", { exact: true }).all()) await form.click();
  const ids: string[] = await page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)");
  expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([]);
  await operation(page, "createPet").locator(".try-body label", { hasText: "Body" }).click();
  expect(await operation(page, "createPet").locator("textarea:focus").count()).toBe(1);
});

test("the curl line that a call shows sends the same request", async () => {
  const { page } = await open("/docs");
  const list = operation(page, "listPets");
  await list.getByText("Try it", { exact: true }).click();
  await list.getByLabel("status").selectOption("sold");
  const line = await list.locator(".try-panel pre").first().innerText();
  expect(line.replaceAll(/\s+\\\s+/g, " ")).toBe(
    `curl '${service.address}/v1/pets?limit=20&status=sold' -H "Authorization: Bearer $API_KEY"`,
  );
});

/** Opens the search, and waits until it takes what is typed. */
async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.locator('[role="combobox"]:focus').waitFor();
}

test("search knows other words for a thing, forgives typing errors, and shows operations before measurements", async () => {
  const { page } = await open("/docs");
  await openSearch(page);
  const found = page.locator(".finding-title");
  for (const [query, expected] of [
    ["pagination", ["Pagination", "Paging"]],
    ["authentication", ["Authentication"]],
    ["int64", ["Identifiers"]],
    ["status codes", ["Errors"]],
    ["create pet", ["Add an animal"]],
    ["overlaoded", ["overloaded"]],
    ["pagintion", ["Paging"]],
    ["webhook", ["Receive webhooks"]],
  ] as const) {
    await page.getByRole("combobox", { name: "Search" }).fill(query);
    await found.first().getByText(expected[0]).waitFor();
    expect((await found.allInnerTexts()).slice(0, expected.length)).toEqual([...expected]);
  }
});

describe("the keyboard alone suffices:", () => {
  test("search finds operations, errors and guides, and leads there", async () => {
    const { page, problems } = await open("/docs");
    await page.keyboard.press("/");
    await page.getByRole("status").getByText("Operations, parameters").waitFor();
    for (const [query, path] of [
      ["overloaded", "/docs/errors/overloaded"],
      ["add an animal", "/docs#createPet"],
      ["idempotent-replayed", "/docs#header-idempotent-replayed"],
    ] as const) {
      if (!(await page.getByRole("combobox", { name: "Search" }).isVisible()))
        await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill("");
      await page.keyboard.type(query);
      const found = page.locator('.finding[aria-selected="true"]');
      expect(await found.innerText()).not.toContain(" ,");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**${path}`);
    }
    await openSearch(page);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("xylophone");
    await page.getByText("Nothing found for").waitFor();
    await page.keyboard.type(" nginx");
    await page.getByText("Without: xylophone").first().waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("combobox", { name: "Search" }).isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  test("samples change their language with the arrows, all at once, and the choice lasts", async () => {
    const { page } = await open("/docs");
    await operation(page, "listPets").getByRole("tab", { name: "curl" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const chosen = page.getByRole("tab", { selected: true });
    await page.getByRole("tab", { name: "Python", selected: true }).first().waitFor();
    expect(new Set(await chosen.allInnerTexts())).toEqual(new Set(["Python"]));
    await page.reload();
    await page.getByRole("tab", { name: "Python", selected: true }).first().waitFor();
    expect(new Set(await chosen.allInnerTexts())).toEqual(new Set(["Python"]));
    expect(await operation(page, "createPet").getByRole("tabpanel").innerText()).toContain("urllib");
  });

  test("an operation can be called", async () => {
    const { page } = await open("/docs");
    await page.getByLabel("Your API key").first().focus();
    await page.keyboard.type(service.key);
    await page.keyboard.press("Enter");
    const list = operation(page, "listPets");
    await list.getByText("Try it", { exact: true }).focus();
    await page.keyboard.press("Enter");
    await list.getByLabel("limit").focus();
    await page.keyboard.press("Enter");
    await list.locator(".result").getByText("200").first().waitFor();
  });
});

describe("for everyone", () => {
  test("the reference is accessible in both schemes and fits every width", async () => {
    const { page, problems } = await open("/docs");
    await expectAccessible(page);
    await expectToFit(page);
    expect(problems).toEqual([]);
  });

  test("an open search, an open form with its result and the menu of a phone are accessible too", async () => {
    const { page } = await open("/docs");
    await page.getByLabel("Your API key").first().fill(service.key);
    await page.keyboard.press("Enter");
    const create = operation(page, "createPet");
    await create.getByText("Try it", { exact: true }).click();
    await create.getByRole("button", { name: "Send request" }).click();
    await create.locator(".result").waitFor();
    await expectAccessible(page, "#createPet");
    await expectToFit(page);
    await openSearch(page);
    await page.keyboard.type("retry");
    await page.locator(".finding").first().waitFor();
    await expectAccessible(page, "dialog[open]");
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: "Menu" }).click();
    await expectAccessible(page, "#sidebar:popover-open");
  });

  test("nothing moves for a user who prefers reduced motion", async () => {
    const { page } = await open("/docs", { reducedMotion: "reduce" });
    expect(await page.evaluate("getComputedStyle(document.documentElement).scrollBehavior")).toBe("auto");
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
  });
});

test("on paper the reference is dark on white, whole, and without what only a screen can do", async () => {
  const { page } = await open("/docs", { colorScheme: "dark", viewport: { width: 720, height: 1000 } });
  await operation(page, "listPets").getByRole("tab", { name: "Python" }).click();
  await page.getByRole("tab", { name: "Python", selected: true }).first().waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const list = operation(page, "listPets");
  for (const hidden of [".sidebar", ".topbar", ".try", ".tabs", ".key-field", ".copy"]) {
    expect([hidden, await page.locator(hidden).first().isVisible()]).toEqual([hidden, false]);
  }
  expect(await list.locator(".samples > section:visible h3").allInnerTexts()).toEqual(["Python"]);
  expect(await list.locator(".response-examples pre").first().isVisible()).toBe(true);
  const color = (selector: string, property: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).${property}`);
  expect(await color("html", "backgroundColor")).toBe("rgb(255, 255, 255)");
  expect(await color(".code", "backgroundColor")).toBe("rgb(245, 247, 246)");
  // A line that is longer than the paper is broken, not cut off.
  await page.setViewportSize({ width: 400, height: 1000 });
  const cut =
    "[...document.querySelectorAll('pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).length";
  expect(await page.evaluate<number>(cut)).toBe(0);
  expect((await page.pdf({ format: "A4" })).toString("latin1", 0, 5)).toBe("%PDF-");
});

test("an error on the console and an inaccessible element are found", async () => {
  const { page, problems } = await open("/livez");
  await page.route("**/docs/errors", async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), "content-security-policy": "default-src 'none'" };
    await route.fulfill({ response, headers });
  });
  await page.goto(`${service.address}/docs/errors`);
  expect(problems.join("\n")).toContain("Content Security Policy");
  await page.evaluate("document.body.append(document.createElement('button'))");
  expect((await violationsOf(page)).join("\n")).toContain("button-name");
});
