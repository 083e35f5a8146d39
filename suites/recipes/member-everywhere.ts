import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole } from "../../test/browser/console.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { run, sandbox, serve } from "../../test/support/program.ts";
import { type Ask, asker, type Place, placeOf, succeed } from "./ask.ts";

const COLOR = 'Brown, "fox"';
const IN_CSV = '"Brown, ""fox"""';
const REX = { name: "Rex", categoryId: 1, status: "available", color: COLOR };
const PLAIN = { name: "Mia", categoryId: 2, status: "available" };

/**
 * Asserts that a program without the recipe keeps serving next to one with it, on one store: it takes a color for a member
 * that it does not know, and the newer program finds animals without a color.
 *
 * @param url where there is no store yet
 */
export async function expectOldNextToNew(older: string, newer: string, url: string): Promise<void> {
  using folder = temporaryFolder();
  await using first = await serve(placeOf(folder.path, older)(url));
  const askOlder = asker(first.address, first.key);
  const { color, ...withoutColor } = REX;
  expect(await askOlder("POST", "/pets", REX)).toEqual({ id: 1, ...withoutColor });
  await using second = await serve(placeOf(folder.path, newer)(url));
  const askNewer = asker(second.address, first.key);
  expect(await askNewer("POST", "/pets", REX)).toEqual({ id: 2, ...REX });
  expect(await askOlder("POST", "/pets", REX)).toEqual({ id: 3, ...withoutColor });
  const [one, three] = [1, 3].map((id) => ({ id, ...withoutColor }));
  expect(await askNewer("GET", "/pets")).toEqual([one, { id: 2, ...REX }, three]);
  expect(await askOlder("GET", "/pets")).toEqual([one, { id: 2, ...withoutColor }, three]);
  for (const id of [2, 3])
    expect(await askOlder("POST", "/orders", { petId: id })).toMatchObject({ petId: id });
  // The older program wrote this event, and knew of no color.
  await expectEvents(askNewer, { ...three, status: "pending" });
  // The older client knows no color, and loses none.
  await expectColorInClient(older, `${second.address}/v1`, first.key);
}

/** Asserts that the client of a program, with the recipe or older, sends the color and finds it again. */
async function expectColorInClient(program: string, baseUrl: string, apiKey: string): Promise<void> {
  const { AnimalStore } = await import(join(program, "../../client/main.ts"));
  const store = new AnimalStore({ baseUrl, apiKey });
  const created = await store.pets.create({ name: "Ada", categoryId: 3n, color: COLOR });
  expect(created).toMatchObject({ color: COLOR });
  const found = await store.pets.list().toArray({ limit: 100 });
  expect(found.find(({ id }: { id: bigint }) => id === created.id)).toEqual(created);
}

/** Asserts that a person adds an animal with a color in the console, by hand and in a file, and sees it wherever the animal is. */
async function expectColorInConsole(browser: TestBrowser, address: string, key: string): Promise<void> {
  const { page } = await openConsole(browser, { address, key });
  await page.getByRole("button", { name: "Add animal" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Eva");
  await dialog.getByLabel("Category").fill("4");
  await dialog.getByLabel("Color").fill(COLOR);
  await dialog.getByRole("button", { name: "Add animal" }).click();
  await page.getByText("Added Eva as").waitFor();
  const row = page.locator(".animals tbody tr", { hasText: "Eva" });
  expect(await row.locator('td[data-label="Color"]').innerText()).toBe(COLOR);

  const more = async (name: string) => {
    await page.goto(address);
    await page.locator(".more-menu > summary").click();
    await page.getByRole("button", { name }).click();
  };
  const [download] = await Promise.all([page.waitForEvent("download"), more("Export as CSV")]);
  const file = await Bun.file(await download.path()).text();
  expect(file).toContain(IN_CSV);
  await more("Import a CSV file");
  const buffer = Buffer.from(`name,categoryId,color\nIda,5,${IN_CSV}\n`);
  await page.locator("#import-file").setInputFiles({ name: "new.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Import 1 animal" }).click();
  await page.getByText("1 of 1 animal added. Done.").waitFor();
  const animals = (await asker(address, key)("GET", "/pets?limit=100")) as { id: number; name: string }[];
  const ida = animals.find(({ name }) => name === "Ida");
  expect(ida).toMatchObject({ color: COLOR });
  await page.goto(`${address}/?animal=${ida?.id}`);
  await page.locator("dl.facts", { hasText: "Color" }).getByText(COLOR).waitFor();
}

/**
 * Asserts that a text which cannot be broken, is written from right to left, or cannot be seen leaves the console's table and
 * panel as they are, in windows of all widths.
 */
async function expectUnusualColorsInConsole(
  browser: TestBrowser,
  address: string,
  key: string,
): Promise<void> {
  const ask = asker(address, key);
  const add = async (color: string) =>
    (await ask("POST", "/pets", { name: "Rex", categoryId: 1, color })) as { id: number };
  await add("x".repeat(100));
  await add("🐕".repeat(100));
  const { id: hebrew } = await add("חום");
  const { id: unseen } = await add("a\u202e\u0007b");
  const { page } = await openConsole(browser, { address, key });
  for (const open of [undefined, hebrew - 2, unseen]) {
    await page.goto(open === undefined ? address : `${address}/?animal=${open}`);
    if (open === unseen) await page.locator("dl.facts").getByText("U+202E").waitFor();
    for (const width of [320, 390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 740 });
      const row = (id: number) =>
        page.locator(".animals tbody tr").filter({ has: page.locator(`[href$="animal=${id}"]`) });
      const cell = (id: number) => row(id).locator('td[data-label="Color"]');
      await cell(unseen).getByText("U+202E").waitFor();
      await cell(unseen).getByText("U+0007").waitFor();
      const isLeftToRight = await cell(hebrew).evaluate((element) => element.matches(":dir(ltr)"));
      const isWithin = await page
        .locator(".scroll")
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
      expect({ open, width, isLeftToRight, isWithin }).toEqual({
        open,
        width,
        isLeftToRight: true,
        isWithin: true,
      });
    }
    await expectToFit(page);
  }
}

/**
 * Asserts that a color comes back wherever an animal does, and that an animal without it has no such member: creates, replays,
 * lists, gets, orders, events, corrections, files, copies, backups, the console and the client.
 *
 * @param program with the recipe
 * @param database an empty one on PostgreSQL, for the copy
 */
export async function expectColorEverywhere(program: string, database: string): Promise<void> {
  using folder = temporaryFolder();
  await using browser = await startBrowser();
  const at = placeOf(folder.path, program);
  const sqlite = "sqlite:./store.db";
  const command = (url: string, ...args: string[]) => succeed(at(url), ...args);
  const stock = [
    { id: 1, ...REX, status: "pending" },
    { id: 2, ...PLAIN },
  ];
  let key = "";
  {
    await using service = await serve(at(sqlite));
    key = service.key;
    const ask = asker(service.address, key);
    const retry = { "Idempotency-Key": "one" };
    const first = await ask("POST", "/pets", REX, retry);
    expect(first).toEqual({ id: 1, ...REX });
    expect(await ask("POST", "/pets", REX, retry)).toEqual(first);
    expect(await ask("POST", "/pets", { ...REX, color: "Cat" }, retry)).toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await ask("POST", "/pets", { ...REX, color: "" })).toMatchObject({ code: "invalid_body" });
    expect(await ask("POST", "/pets", PLAIN)).toEqual({ id: 2, ...PLAIN });
    expect(await ask("GET", "/pets")).toEqual([
      { id: 1, ...REX },
      { id: 2, ...PLAIN },
    ]);
    expect(await ask("POST", "/orders", { petId: 1 })).toMatchObject({ petId: 1 });
    expect(await ask("GET", "/pets/1")).toEqual(stock[0]);
    expect(await ask("GET", "/pets?status=pending")).toEqual([stock[0]]);
    await expectEvents(ask, stock[0]);
  }
  await command(sqlite, "animals", "set", "2", "--color", "Black");
  expect(await command(sqlite, "animals", "log")).toContain("color none → `Black`");
  await expectColorTakenAway(at(sqlite), key);
  await expectColorInExamples(at(sqlite));
  const corrected = [stock[0], { ...stock[1], color: "Black" }];

  // Files, a backup, and a copy to the other engine.
  const text = (name: string) => Bun.file(join(folder.path, name)).text();
  for (const [format, inFile] of [
    ["csv", IN_CSV],
    ["ndjson", JSON.stringify(COLOR)],
    ["json", JSON.stringify(COLOR)],
  ] as const) {
    const imported = `sqlite:./${format}.db`;
    await command(sqlite, "export", `stock.${format}`);
    expect(await text(`stock.${format}`)).toContain(inFile);
    await command(imported, "import", `stock.${format}`);
    await command(imported, "export", `again.${format}`);
    expect(await text(`again.${format}`)).toBe(await text(`stock.${format}`));
  }
  writeFileSync(join(folder.path, "unknown.csv"), "name,categoryId,size\nRex,1,red\n");
  const refused = await run(["import", "unknown.csv"], at("sqlite:./csv.db"));
  expect({ ...refused, stderr: refused.stderr.replaceAll("`", "") }).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/size.*status.*color/s),
  });
  await command(sqlite, "backup", "store.backup");
  await command("sqlite:./restored.db", "restore", "store.backup", "--ids-from", "1000");
  await command(sqlite, "copy", "--from", sqlite, "--to", database);
  for (const url of ["sqlite:./restored.db", database]) {
    await using service = await serve(at(url));
    const ask = asker(service.address, key);
    expect(await ask("GET", "/pets")).toEqual(corrected);
    const added = await ask("POST", "/pets", { ...REX, name: "Otto" });
    expect(added).toMatchObject({ color: COLOR });
    expect(await ask("POST", "/orders", { petId: (added as { id: number }).id })).toMatchObject({
      status: "placed",
    });
    await expectEvents(ask, { ...(added as object), status: "pending" });
    await command(url, "animals", "set", "2", "--color", "Sphynx", "--status", "sold");
    expect(await ask("GET", "/pets/2")).toEqual({ id: 2, ...PLAIN, color: "Sphynx", status: "sold" });
    await expectEvents(ask, { id: 2, ...PLAIN, color: "Sphynx", status: "sold" });
    await command(url, "import", "stock.csv", "--ids", "new");
    await expectEvents(ask, { ...REX, status: "pending", id: expect.any(Number) }, -2, "created");
    await expectColorInClient(program, `${service.address}/v1`, key);
    await expectColorInConsole(browser, service.address, key);
    await expectUnusualColorsInConsole(browser, service.address, key);
  }
}

/** Asserts that `animals set` takes the color of animal 2 away; afterwards it has its color again. */
async function expectColorTakenAway(at: Place, key: string): Promise<void> {
  const empty = await run(["animals", "set", "2", "--color", ""], at);
  expect(empty).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--no-color takes it away") });
  const [{ after }] = JSON.parse(await succeed(at, "animals", "set", "2", "--no-color", "--json"));
  expect(after).toEqual({ id: 2, ...PLAIN });
  expect(await succeed(at, "animals", "set", "2", "--no-color", "--json")).toBe("[]\n");
  expect(await succeed(at, "animals", "log", "2")).toContain("color `Black` → none");
  {
    await using service = await serve(at);
    const ask = asker(service.address, key);
    expect(await ask("GET", "/pets/2")).toEqual({ id: 2, ...PLAIN });
  }
  await succeed(at, "animals", "set", "2", "--color", "Black");
}

/** Asserts that the document's examples, sandboxes and sample animals have colors. */
async function expectColorInExamples(at: Place): Promise<void> {
  const { paths } = JSON.parse(await succeed(at, "openapi"));
  const { examples } = paths["/pets"].post.requestBody.content["application/json"];
  expect(examples.whole.value).toMatchObject({ color: "Brown" });
  const colorsOf = async (url: string, key: string) => {
    const animals = (await asker(url, key)("GET", "/pets?limit=100")) as { color?: string }[];
    return new Set(animals.map(({ color }) => color));
  };
  await using space = await sandbox(at);
  expect(await colorsOf(space.address, SANDBOX_KEYS[0].key)).toEqual(new Set(["Brown", undefined]));
  using folder = temporaryFolder();
  const seeded = { ...at, cwd: folder.path };
  await succeed(seeded, "seed", "--count", "100");
  await using service = await serve(seeded);
  expect(await colorsOf(service.address, service.key)).toEqual(new Set(["Brown", undefined]));
}

/** Asserts that the last event, or another from the end, shows its animal as it is. */
async function expectEvents(ask: Ask, animal: unknown, at = -1, type = "status_changed"): Promise<void> {
  const events = (await ask("GET", `/events?type=animal.${type}`)) as { animal: object }[];
  expect(events.at(at)?.animal).toEqual(animal as object);
}
