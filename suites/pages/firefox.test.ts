import { afterAll, beforeAll, expect, test } from "bun:test";
import { Firefox, type FirefoxTab, KEYS } from "../../test/browser/firefox.ts";
import { type Service, startService } from "../../test/support/service.ts";
import { NAME_EDGES } from "./name-edges.ts";

// What was wrong in Firefox, or could be in one browser alone. Everything else the other files ask of Chromium.

let firefox: Firefox;
beforeAll(async () => {
  firefox = await Firefox.start();
});
afterAll(() => firefox[Symbol.asyncDispose]());

/** Opens the console with the service's key, as a person who has entered it. */
async function openConsole(service: Service, path = "/"): Promise<FirefoxTab> {
  const tab = await firefox.open();
  await tab.goto(service.address + path);
  await tab.evaluate(`sessionStorage.setItem("animal-store.key/v1/", ${JSON.stringify(service.key)})`);
  await tab.goto(service.address + path);
  await tab.sees("document.querySelector('.items, .empty')");
  return tab;
}

async function start(names: readonly string[]): Promise<Service> {
  const service = await startService();
  await service.store.recordEvents(true);
  for (const name of names) await service.create(JSON.stringify({ name, categoryId: 7 }));
  return service;
}

/** Clicks the button with a text, in a part of the page. */
function press(tab: FirefoxTab, part: string, text: string): Promise<void> {
  const buttons = `[...document.querySelectorAll(${JSON.stringify(`${part} :is(button, label)`)})]`;
  return tab.evaluate(
    `${buttons}.find((each) => each.textContent.trim() === ${JSON.stringify(text)}).click()`,
  );
}

/** Whether a part of the page shows a text. */
function shows(part: string, text: string): string {
  return `document.querySelector(${JSON.stringify(part)})?.innerText.includes(${JSON.stringify(text)})`;
}

const LIVE = "document.querySelector('.feed-state.connected')";
const NAMES = "[...document.querySelectorAll('.items .name')].map((name) => name.innerText)";

test("eight tabs of Firefox stay quick, and each hears of a change", async () => {
  await using service = await start(["Rex"]);
  await using tabs = new AsyncDisposableStack();
  const opened: FirefoxTab[] = [];
  while (opened.length < 8) {
    const tab = tabs.use(await openConsole(service));
    await tab.sees(LIVE);
    opened.push(tab);
  }
  await service.create('{"name":"Mia","categoryId":7}');
  for (const tab of opened) {
    await tab.sees(`${NAMES}.includes("Mia")`);
    await tab.evaluate(
      "[...document.querySelectorAll('.segments span')].find((each) => each.innerText === 'Sold').click()",
    );
    await tab.sees("document.querySelector('.empty h2')?.innerText === 'No sold animals'");
  }
});

test("in Firefox a request that waits for a connection says so, until it has its response", async () => {
  await using service = await start(["Rex"]);
  await using tab = await openConsole(service);
  await tab.sees(LIVE);
  // The console's own stream has one of the six connections.
  await tab.evaluate(`(() => {
    const headers = { authorization: "Bearer ${service.key}", accept: "text/event-stream" };
    globalThis.others = new AbortController();
    // Firefox sends one request at a time to one address that it may keep.
    for (let stream = 0; stream < 5; stream++)
      fetch("/v1/events?from=latest&stream=" + stream, { headers, signal: others.signal }).catch(() => {});
  })()`);
  await tab.evaluate(
    "[...document.querySelectorAll('.segments span')].find((each) => each.innerText === 'Sold').click()",
  );
  await tab.sees("document.body.innerText.includes('Waiting for a response')");
  await tab.evaluate("others.abort()");
  await tab.sees("document.querySelector('.empty h2')?.innerText === 'No sold animals'");
  expect(await tab.evaluate("document.body.innerText.includes('Waiting for a response')")).toBe(false);
});

test("a tab of Firefox goes through eight addresses in a row, and another tab follows the feed in its place", async () => {
  await using service = await start(["Rex"]);
  await using first = await openConsole(service);
  await first.sees(LIVE);
  await using second = await openConsole(service);
  await second.sees(LIVE);
  for (let at = 1; at <= 8; at++) {
    await first.goto(`${service.address}/?animal=1&limit=${at % 2 ? 50 : 20}`);
    await first.sees("document.querySelector('.panel h2')?.innerText === 'Rex'");
  }
  await first.goto(`${service.address}/docs`);
  await service.create('{"name":"Mia","categoryId":7}');
  await second.sees(`${NAMES}.includes("Mia")`);
});

test("Firefox hands a key that is shared to a new tab, and signing out of one signs out both", async () => {
  await using service = await start(["Rex"]);
  await using first = await firefox.open();
  await first.goto(service.address);
  await first.sees("document.querySelector('#api-key')");
  await first.evaluate(`(() => {
    const key = document.querySelector("#api-key");
    key.value = ${JSON.stringify(service.key)};
    key.dispatchEvent(new Event("input", { bubbles: true }));
    document.querySelector(".key-form [type=checkbox]").click();
  })()`);
  await first.evaluate("document.querySelector('.key-form').requestSubmit()");
  await first.sees("document.querySelector('.items')");
  await using second = await firefox.open();
  await second.goto(`${service.address}/?animal=1`);
  await second.sees("document.querySelector('.panel h2')?.innerText === 'Rex'");
  await first.evaluate("document.querySelector('.menu button').click()");
  for (const tab of [first, second]) await tab.sees("document.querySelector('#api-key')");
  expect(await second.evaluate<string>("JSON.stringify({ ...sessionStorage })")).not.toContain(service.key);
});

test("Firefox shows the names of joined emoji whole, and the newest animal first", async () => {
  const names = ["🐈‍⬛", "🐕‍🦺", "🐻‍❄️", "👨‍👩‍👧‍👦", "👩🏽‍🌾", "مرحبا قط"];
  await using service = await start(names);
  await using tab = await openConsole(service);
  await tab.sees(LIVE);
  expect(await tab.evaluate<string[]>(NAMES)).toEqual(names.toReversed());
  await service.create('{"name":"Mia","categoryId":7}');
  await tab.sees("document.querySelector('tbody tr.arrived .name')?.innerText === 'Mia'");
  expect(await tab.evaluate<string[]>(NAMES)).toEqual(["Mia", ...names.toReversed()]);
});

test("in Firefox marks that pile up on a letter stay in their row, and in the title of the panel", async () => {
  await using service = await start(["Rex", `Z${"\u0353\u0352\u035b".repeat(80)}a`, "Mia"]);
  await using tab = await openConsole(service, "/?animal=2");
  await tab.sees("document.querySelector('.panel .facts')");
  for (const width of [390, 1440]) {
    await tab.resize(width, 800);
    const { tallest, title, hidden, open } = await tab.evaluate<{
      readonly tallest: number;
      readonly title: number;
      readonly hidden: readonly number[];
      readonly open: number;
    }>(`({
      tallest: Math.max(...[...document.querySelectorAll(".items tbody tr")].map((row) => row.offsetHeight)),
      title: document.querySelector(".panel h2").offsetHeight,
      hidden: [...document.querySelectorAll("main .scroll")].map((part) => part.scrollWidth - part.clientWidth),
      open: [...document.querySelectorAll(".items .name bdi, .panel h2 bdi")]
        .filter((name) => getComputedStyle(name).overflowY === "visible").length,
    })`);
    expect([tallest < 100, title < 150, hidden, open]).toEqual([true, true, [0], 0]);
  }
});

test("Firefox shows open orders with the names of their animals, which come with them", async () => {
  await using service = await start(["Rex", "Mia", "مرحبا قط"]);
  const headers = { "content-type": "application/json" };
  for (const id of [1, 2, 3])
    await service.call("/v1/orders", { method: "POST", headers, body: `{"petId":${id}}` });
  await using tab = await openConsole(service, "/?view=orders&status=open");
  await tab.sees(`${NAMES}.length === 3`);
  expect(
    await tab.evaluate<string[]>(
      "[...document.querySelectorAll('.orders .name bdi')].map((name) => name.innerText)",
    ),
  ).toEqual(["مرحبا قط", "Mia", "Rex"]);
  // Each begins at the left edge of its column.
  const lefts = await tab.evaluate<number[]>(NAME_EDGES);
  expect(new Set(lefts).size).toBe(1);
  expect(service.answered.filter(({ path }) => path.startsWith("/v1/pets/"))).toEqual([]);
});

test("in Firefox no page is wider than its window, and the environment has one line", async () => {
  await using service = await start(["Rex", "a".repeat(255), "😀".repeat(255), "שלום ".repeat(50)]);
  await using tab = await openConsole(service);
  for (const path of ["/", "/?view=orders", "/docs", "/docs/guides/sandbox", "/docs/errors"]) {
    await tab.goto(service.address + path);
    for (const width of [320, 390, 1440, 2560]) {
      await tab.resize(width, 800);
      const wrong = await tab.evaluate(`({
        tooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        broken: [...document.querySelectorAll(".environment")]
          .filter((each) => each.offsetHeight > 2 * parseFloat(getComputedStyle(each).fontSize))
          .map((each) => each.className),
      })`);
      expect([path, width, wrong]).toEqual([path, width, { tooWide: 0, broken: [] }]);
    }
  }
});

test("in Firefox a phone has the header and the controls of a list in one line, and the status next to the name", async () => {
  await using service = await start([]);
  await service.create('{"name":"Rex","categoryId":9223372036854775807}');
  await using tab = await openConsole(service);
  for (const path of ["/", "/?view=orders"]) {
    for (const width of [320, 360, 390]) {
      await tab.resize(width, 800);
      await tab.goto(service.address + path);
      await tab.sees(LIVE);
      const apart = await tab.evaluate<
        number[]
      >(`[".console-bar > *", ".toolbar > *, .toolbar-end > *", ".items :is(.name, .state)"]
        .map((parts) => [...document.querySelectorAll(parts)].filter((part) => part.checkVisibility()))
        .map((all) => all.map((part) => part.getBoundingClientRect()))
        .map((boxes) => boxes.map(({ top, bottom }) => (top + bottom) / 2))
        .map((middles) => (middles.length > 0 ? Math.max(...middles) - Math.min(...middles) : 0))`);
      expect([path, width, apart.map((pixels) => pixels < 8 || pixels)]).toEqual([
        path,
        width,
        [true, true, true],
      ]);
    }
  }
});

test("in Firefox a block of code has its bar above, and nothing below", async () => {
  await using service = await start([]);
  await using tab = await firefox.open();
  for (const path of ["/docs", "/docs/guides/sandbox"]) {
    await tab.goto(service.address + path);
    for (const width of [390, 1440]) {
      await tab.resize(width, 800);
      const wrong = await tab.evaluate<string[]>(`[...document.querySelectorAll(".code")]
        .filter((code) => code.checkVisibility() && code.querySelector("pre"))
        .filter((code) => {
          const box = code.getBoundingClientRect();
          const pre = code.querySelector("pre").getBoundingClientRect();
          const copy = code.querySelector(".copy")?.getBoundingClientRect();
          return box.bottom - pre.bottom > 2 || (copy && copy.bottom > pre.top + 1 && copy.top < pre.bottom);
        })
        .map((code) => code.innerText.slice(0, 60))`);
      expect([path, width, wrong]).toEqual([path, width, []]);
    }
  }
});

test("in Firefox animals are chosen at a desk and on a phone, and ordered each once", async () => {
  await using service = await start(["Rex", "Mia", "Tom"]);
  await using tab = await openConsole(service);
  await tab.resize(1440, 800);
  for (const id of [3, 2])
    await tab.evaluate(`document.querySelector('[aria-label="Choose animal ${id}"]').click()`);
  await tab.sees(shows(".selection", "2 animals chosen"));
  await press(tab, ".selection", "Order them");
  await tab.sees(shows("dialog[open]", "Each gets an order of its own"));
  await press(tab, "dialog[open]", "Place 2 orders");
  await tab.sees(shows("dialog[open]", "2 of 2 orders placed. Done."));
  await press(tab, "dialog[open]", "Close");
  await press(tab, ".selection", "Clear");
  await tab.sees("!document.querySelector('.selection')");
  const orders = (await (await service.call("/v1/orders")).json()) as { petId: number }[];
  expect(orders.map(({ petId }) => petId).sort()).toEqual([2, 3]);
  for (const width of [390, 320]) {
    await tab.resize(width, 700);
    const tops = () =>
      tab.evaluate("[...document.querySelectorAll('.items tr')].map((row) => row.offsetTop)");
    const before = await tops();
    await tab.evaluate("document.querySelector('td .choice-cell').click()");
    await tab.sees(shows(".selection", "1 animal chosen"));
    await press(tab, ".selection", "Choose all");
    await tab.sees(shows(".selection", "3 animals chosen"));
    const targets = await tab.evaluate<number[]>(
      "[...document.querySelectorAll('td .choice-cell, .selection button')].map((each) => each.offsetHeight)",
    );
    // It rises to the lower edge of the window.
    await tab.sees("document.querySelector('.selection').getBoundingClientRect().bottom === innerHeight");
    const tooWide = await tab.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect([width, targets.filter((height) => height < 44), tooWide, await tops()]).toEqual([
      width,
      [],
      0,
      before,
    ]);
    await press(tab, ".selection", "Clear");
    await tab.sees("!document.querySelector('.selection')");
  }
});

test("in Firefox Ctrl K finds a name, marks its letters, and offers it again", async () => {
  await using service = await start(["Rex", "Žofka"]);
  await using tab = await openConsole(service);
  await tab.press(KEYS.control, "k");
  await tab.sees("document.activeElement.getAttribute('role') === 'combobox'");
  await tab.sees(shows("#findings", "Sold animals"));
  for (const letter of "zof") await tab.press(letter);
  await tab.sees("document.querySelector('.finding[aria-selected=true] mark')?.innerText === 'Žof'");
  await tab.press(KEYS.enter);
  await tab.sees(shows(".panel h2", "Žofka"));
  await tab.press(KEYS.escape);
  await tab.sees("!document.querySelector('.panel')");
  await tab.press(KEYS.control, "k");
  await tab.sees(shows('[role="group"][aria-label="Recent"]', "Žofka"));
  await tab.press(KEYS.down);
  await tab.sees("document.querySelector('.finding[aria-selected=true]').innerText.startsWith('Animals')");
  // The head and the foot stay in sight while what was found scrolls.
  await tab.resize(1440, 400);
  expect(
    await tab.evaluate<number[]>(`(() => {
      const [dialog, box, foot] = [".search", ".search-box", ".search-foot"]
        .map((part) => document.querySelector(part).getBoundingClientRect());
      document.querySelector("#findings").scrollTo(0, 10000);
      return [box.top - dialog.top <= 1, dialog.bottom - foot.bottom <= 1, dialog.bottom <= innerHeight];
    })()`),
  ).toEqual([true, true, true] as never);
  await tab.press(KEYS.escape);
  await tab.sees("!document.querySelector('dialog[open]')");
});

test("in Firefox keys lead through rows and the panel, and low rows stay low", async () => {
  await using service = await start(["Rex", "Mia", "Tom"]);
  await using tab = await openConsole(service);
  await tab.resize(1440, 800);
  await tab.evaluate("document.activeElement.blur()");
  for (const key of ["j", "j", "x"]) await tab.press(key);
  await tab.sees(shows(".selection", "1 animal chosen"));
  expect(await tab.evaluate<string>("document.querySelector('tr:has(:checked) .name').innerText")).toBe(
    "Mia",
  );
  await tab.press(KEYS.enter);
  await tab.sees(shows(".panel h2", "Mia"));
  await tab.press("j");
  await tab.sees(shows(".panel h2", "Rex"));
  await tab.press(KEYS.escape);
  await tab.sees("!document.querySelector('.panel')");
  const height = () => tab.evaluate<number>("document.querySelector('.items tbody tr').offsetHeight");
  const before = await height();
  await tab.evaluate("document.querySelector('.more-menu .choice input').click()");
  const low = await height();
  expect(low).toBeLessThan(before * 0.8);
  await tab.goto(service.address);
  await tab.sees("document.querySelector('.items tbody tr')");
  expect(await height()).toBe(low);
  await tab.evaluate("localStorage.clear()");
});

test("in Firefox rows that an import did not add are corrected in its dialog", async () => {
  await using service = await start([]);
  await using tab = await openConsole(service);
  await press(tab, ".more-menu", "Import a CSV file");
  await tab.sees("document.querySelector('#import-file')");
  await tab.evaluate(`(() => {
    const files = new DataTransfer();
    files.items.add(new File(["name,categoryId\\nMax,1\\n,3\\n"], "new.csv", { type: "text/csv" }));
    const field = document.querySelector("#import-file");
    field.files = files.files;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  })()`);
  await tab.sees(shows("dialog[open]", "1 row will not be sent"));
  await press(tab, "dialog[open]", "Import 1 animal");
  await tab.sees(shows("dialog[open]", "1 of 1 animal added. Done."));
  await press(tab, "dialog[open]", "Correct them here");
  await tab.sees("document.querySelector('dialog textarea')");
  await tab.evaluate(`(() => {
    const field = document.querySelector("dialog textarea");
    field.value = field.value.replace(/^,3/m, "Kim,3");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  })()`);
  await tab.sees(shows("dialog[open]", "The file has 1 animal."));
  await press(tab, "dialog[open]", "Import 1 animal");
  await tab.sees(shows("dialog[open]", "1 of 1 animal added. Done."));
  await press(tab, "dialog[open]", "Close");
  await tab.sees(`${NAMES}.join() === "Kim,Max"`);
});
