import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SANDBOX_KEYS } from "../../sandbox/keys.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole } from "../../test/browser/console.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { run, sandbox, serve } from "../../test/support/program.ts";
import { type Ask, asker, type Place, placeOf, succeed } from "./ask.ts";

const BREED = 'Poodle, "toy"';
const IN_CSV = '"Poodle, ""toy"""';
const REX = { name: "Rex", categoryId: 1, status: "available", breed: BREED };
const PLAIN = { name: "Mia", categoryId: 2, status: "available" };

/**
 * Asserts that a program without the recipe keeps serving next to one with it, on one store: it takes a breed for a member
 * that it does not know, and the newer program finds animals without a breed.
 *
 * @param url where there is no store yet
 */
export async function expectOldNextToNew(older: string, newer: string, url: string): Promise<void> {
  using folder = temporaryFolder();
  await using first = await serve(placeOf(folder.path, older)(url));
  const askOlder = asker(first.address, first.key);
  const { breed, ...withoutBreed } = REX;
  expect(await askOlder("POST", "/pets", REX)).toEqual({ id: 1, ...withoutBreed });
  await using second = await serve(placeOf(folder.path, newer)(url));
  const askNewer = asker(second.address, first.key);
  expect(await askNewer("POST", "/pets", REX)).toEqual({ id: 2, ...REX });
  expect(await askOlder("POST", "/pets", REX)).toEqual({ id: 3, ...withoutBreed });
  const [one, three] = [1, 3].map((id) => ({ id, ...withoutBreed }));
  expect(await askNewer("GET", "/pets")).toEqual([one, { id: 2, ...REX }, three]);
  expect(await askOlder("GET", "/pets")).toEqual([one, { id: 2, ...withoutBreed }, three]);
  for (const id of [2, 3])
    expect(await askOlder("POST", "/orders", { petId: id })).toMatchObject({ petId: id });
  // The older program wrote this event, and knew of no breed.
  await expectEvents(askNewer, { ...three, status: "pending" });
  // The older client knows no breed, and loses none.
  await expectBreedInClient(older, `${second.address}/v1`, first.key);
}

/** Asserts that the client of a program, with the recipe or older, sends the breed and finds it again. */
async function expectBreedInClient(program: string, baseUrl: string, apiKey: string): Promise<void> {
  const { AnimalStore } = await import(join(program, "../../client/main.ts"));
  const store = new AnimalStore({ baseUrl, apiKey });
  const created = await store.pets.create({ name: "Ada", categoryId: 3n, breed: BREED });
  expect(created).toMatchObject({ breed: BREED });
  const found = await store.pets.list().toArray({ limit: 100 });
  expect(found.find(({ id }: { id: bigint }) => id === created.id)).toEqual(created);
}

/** Asserts that a person adds an animal with a breed in the console, by hand and in a file, and sees it wherever the animal is. */
async function expectBreedInConsole(browser: TestBrowser, address: string, key: string): Promise<void> {
  const { page } = await openConsole(browser, { address, key });
  await page.getByRole("button", { name: "Add animal" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Eva");
  await dialog.getByLabel("Category").fill("4");
  await dialog.getByLabel("Breed").fill(BREED);
  await dialog.getByRole("button", { name: "Add animal" }).click();
  await page.getByText("Added Eva as").waitFor();
  const row = page.locator(".animals tbody tr", { hasText: "Eva" });
  expect(await row.locator('td[data-label="Breed"]').innerText()).toBe(BREED);

  const more = async (name: string) => {
    await page.goto(address);
    await page.locator(".more-menu > summary").click();
    await page.getByRole("button", { name }).click();
  };
  const [download] = await Promise.all([page.waitForEvent("download"), more("Export as CSV")]);
  const file = await Bun.file(await download.path()).text();
  expect(file).toContain(IN_CSV);
  await more("Import a CSV file");
  const buffer = Buffer.from(`name,categoryId,breed\nIda,5,${IN_CSV}\n`);
  await page.locator("#import-file").setInputFiles({ name: "new.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Import 1 animal" }).click();
  await page.getByText("1 of 1 animal added. Done.").waitFor();
  const animals = (await asker(address, key)("GET", "/pets?limit=100")) as { id: number; name: string }[];
  const ida = animals.find(({ name }) => name === "Ida");
  expect(ida).toMatchObject({ breed: BREED });
  await page.goto(`${address}/?animal=${ida?.id}`);
  await page.locator("dl.facts", { hasText: "Breed" }).getByText(BREED).waitFor();
}

/**
 * Asserts that a breed comes back wherever an animal does, and that an animal without it has no such member: creates, replays,
 * lists, gets, orders, events, corrections, files, copies, backups, the console and the client.
 *
 * @param program with the recipe
 * @param database an empty one on PostgreSQL, for the copy
 */
export async function expectBreedEverywhere(program: string, database: string): Promise<void> {
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
    expect(await ask("POST", "/pets", { ...REX, breed: "Cat" }, retry)).toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(await ask("POST", "/pets", { ...REX, breed: "" })).toMatchObject({ code: "invalid_body" });
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
  await command(sqlite, "animals", "set", "2", "--breed", "Siamese");
  expect(await command(sqlite, "animals", "log")).toContain("breed none → `Siamese`");
  await expectBreedTakenAway(at(sqlite), key);
  await expectBreedInExamples(at(sqlite));
  const corrected = [stock[0], { ...stock[1], breed: "Siamese" }];

  // Files, a backup, and a copy to the other engine.
  const text = (name: string) => Bun.file(join(folder.path, name)).text();
  for (const [format, inFile] of [
    ["csv", IN_CSV],
    ["ndjson", JSON.stringify(BREED)],
    ["json", JSON.stringify(BREED)],
  ] as const) {
    const imported = `sqlite:./${format}.db`;
    await command(sqlite, "export", `stock.${format}`);
    expect(await text(`stock.${format}`)).toContain(inFile);
    await command(imported, "import", `stock.${format}`);
    await command(imported, "export", `again.${format}`);
    expect(await text(`again.${format}`)).toBe(await text(`stock.${format}`));
  }
  writeFileSync(join(folder.path, "unknown.csv"), "name,categoryId,colour\nRex,1,red\n");
  const refused = await run(["import", "unknown.csv"], at("sqlite:./csv.db"));
  expect({ ...refused, stderr: refused.stderr.replaceAll("`", "") }).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/colour.*status.*breed/s),
  });
  await command(sqlite, "backup", "store.backup");
  await command("sqlite:./restored.db", "restore", "store.backup", "--ids-from", "1000");
  await command(sqlite, "copy", "--from", sqlite, "--to", database);
  for (const url of ["sqlite:./restored.db", database]) {
    await using service = await serve(at(url));
    const ask = asker(service.address, key);
    expect(await ask("GET", "/pets")).toEqual(corrected);
    const added = await ask("POST", "/pets", { ...REX, name: "Otto" });
    expect(added).toMatchObject({ breed: BREED });
    expect(await ask("POST", "/orders", { petId: (added as { id: number }).id })).toMatchObject({
      status: "placed",
    });
    await expectEvents(ask, { ...(added as object), status: "pending" });
    await command(url, "animals", "set", "2", "--breed", "Sphynx", "--status", "sold");
    expect(await ask("GET", "/pets/2")).toEqual({ id: 2, ...PLAIN, breed: "Sphynx", status: "sold" });
    await expectEvents(ask, { id: 2, ...PLAIN, breed: "Sphynx", status: "sold" });
    await command(url, "import", "stock.csv", "--ids", "new");
    await expectEvents(ask, { ...REX, status: "pending", id: expect.any(Number) }, -2, "created");
    await expectBreedInClient(program, `${service.address}/v1`, key);
    await expectBreedInConsole(browser, service.address, key);
  }
}

/** Asserts that `animals set` takes the breed of animal 2 away; afterwards it has its breed again. */
async function expectBreedTakenAway(at: Place, key: string): Promise<void> {
  const empty = await run(["animals", "set", "2", "--breed", ""], at);
  expect(empty).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--no-breed takes it away") });
  const [{ after }] = JSON.parse(await succeed(at, "animals", "set", "2", "--no-breed", "--json"));
  expect(after).toEqual({ id: 2, ...PLAIN });
  expect(await succeed(at, "animals", "set", "2", "--no-breed", "--json")).toBe("[]\n");
  expect(await succeed(at, "animals", "log", "2")).toContain("breed `Siamese` → none");
  {
    await using service = await serve(at);
    const ask = asker(service.address, key);
    expect(await ask("GET", "/pets/2")).toEqual({ id: 2, ...PLAIN });
  }
  await succeed(at, "animals", "set", "2", "--breed", "Siamese");
}

/** Asserts that the document's examples, sandboxes and sample animals have breeds. */
async function expectBreedInExamples(at: Place): Promise<void> {
  const { paths } = JSON.parse(await succeed(at, "openapi"));
  const { examples } = paths["/pets"].post.requestBody.content["application/json"];
  expect(examples.whole.value).toMatchObject({ breed: "Poodle" });
  const breedsOf = async (url: string, key: string) => {
    const animals = (await asker(url, key)("GET", "/pets?limit=100")) as { breed?: string }[];
    return new Set(animals.map(({ breed }) => breed));
  };
  await using space = await sandbox(at);
  expect(await breedsOf(space.address, SANDBOX_KEYS[0].key)).toEqual(new Set(["Poodle", undefined]));
  using folder = temporaryFolder();
  const seeded = { ...at, cwd: folder.path };
  await succeed(seeded, "seed", "--count", "100");
  await using service = await serve(seeded);
  expect(await breedsOf(service.address, service.key)).toEqual(new Set(["Poodle", undefined]));
}

/** Asserts that the last event, or another from the end, shows its animal as it is. */
async function expectEvents(ask: Ask, animal: unknown, at = -1, type = "status_changed"): Promise<void> {
  const events = (await ask("GET", `/events?type=animal.${type}`)) as { animal: object }[];
  expect(events.at(at)?.animal).toEqual(animal as object);
}
