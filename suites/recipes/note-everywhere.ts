import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startBrowser } from "../../test/browser/browser.ts";
import { openConsole } from "../../test/browser/console.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { run, serve } from "../../test/support/program.ts";
import { type Ask, asker, placeOf, succeed } from "./ask.ts";

const NOTE = 'Ring "twice", please.';
const IN_CSV = '"Ring ""twice"", please."';
const IS_RECENT = { placedAt: expect.any(String), updatedAt: expect.any(String) };

/**
 * Asserts that a program without the recipe keeps serving next to one with it, on one store: it takes a note for a member
 * that it does not know, and the newer program finds orders without one.
 *
 * @param url where there is no store yet
 */
export async function expectNoteNextToOld(older: string, newer: string, url: string): Promise<void> {
  using folder = temporaryFolder();
  await using first = await serve(placeOf(folder.path, older)(url));
  const askOlder = asker(first.address, first.key);
  await addAnimals(askOlder, 3);
  const placed = { status: "placed", ...IS_RECENT };
  const [one, two, three] = [1, 2, 3].map((id) => ({ id, petId: id, ...placed }));
  expect(await askOlder("POST", "/orders", { petId: 1, note: NOTE })).toEqual(one);
  await using second = await serve(placeOf(folder.path, newer)(url));
  const askNewer = asker(second.address, first.key);
  expect(await askNewer("POST", "/orders", { petId: 2, note: NOTE })).toEqual({ ...two, note: NOTE });
  expect(await askOlder("POST", "/orders", { petId: 3, note: NOTE })).toEqual(three);
  expect(await askNewer("GET", "/orders")).toEqual([one, { ...two, note: NOTE }, three]);
  expect(await askOlder("GET", "/orders")).toEqual([one, two, three]);
  // A change by the older program leaves the note as it is.
  await askOlder("PATCH", "/orders/2", { status: "approved" });
  expect(await askNewer("GET", "/orders/2")).toEqual({ ...two, status: "approved", note: NOTE });
  const events = (await askNewer("GET", "/events?type=order.placed")) as { order: object }[];
  expect(events.map(({ order }) => order)).toEqual([one, { ...two, note: NOTE }, three] as object[]);
}

/**
 * Asserts that a note comes back wherever an order does, and that an order without it has no such member: placed, replayed,
 * read, listed, changed, in events, files, copies, backups, the console and the client.
 *
 * @param program with the recipe
 * @param database an empty one on PostgreSQL, for the copy
 */
export async function expectNoteEverywhere(program: string, database: string): Promise<void> {
  using folder = temporaryFolder();
  await using browser = await startBrowser();
  const at = placeOf(folder.path, program);
  const sqlite = "sqlite:./store.db";
  const imported = "sqlite:./imported.db";
  const noted = { id: 1, petId: 1, status: "placed", ...IS_RECENT, note: NOTE };
  const plain = { id: 2, petId: 2, status: "placed", ...IS_RECENT };
  let key = "";
  {
    await using service = await serve(at(sqlite));
    key = service.key;
    const ask = asker(service.address, key);
    await addAnimals(ask, 9);
    const retry = { "Idempotency-Key": "one" };
    const order = { petId: 1, note: NOTE };
    expect(await ask("POST", "/orders", order, retry)).toEqual(noted);
    expect(await ask("POST", "/orders", order, retry)).toEqual(noted);
    for (const other of [{ petId: 1 }, { petId: 1, note: "Another." }])
      expect(await ask("POST", "/orders", other, retry)).toMatchObject({ code: "idempotency_key_reused" });
    expect(await ask("POST", "/orders", { petId: 2, note: "" })).toMatchObject({ code: "invalid_body" });
    expect(await ask("POST", "/orders", { petId: 2 })).toEqual(plain);
    await expectEvent(ask, "order.placed", plain);
    expect(await ask("PATCH", "/orders/1", { status: "approved" })).toEqual({ ...noted, status: "approved" });
    await expectEvent(ask, "order.status_changed", { ...noted, status: "approved" });
  }
  const orders = [{ ...noted, status: "approved" }, plain];

  // Files, a backup, and a copy to the other engine.
  for (const [kind, file] of [
    [[], "animals.csv"],
    [["--orders"], "orders.csv"],
    [["--orders"], "orders.ndjson"],
  ] as const)
    await succeed(at(sqlite), "export", ...kind, file);
  await succeed(at(imported), "import", "animals.csv");
  await succeed(at(imported), "import", "--orders", "orders.csv");
  const text = (name: string) => Bun.file(join(folder.path, name)).text();
  for (const [format, from] of [
    ["csv", "orders.csv"],
    ["ndjson", "orders.ndjson"],
  ] as const) {
    await succeed(at(imported), "export", "--orders", `again.${format}`);
    expect(await text(`again.${format}`)).toBe(await text(from));
  }
  expect(await text("orders.ndjson")).toContain(JSON.stringify(NOTE));
  writeFileSync(join(folder.path, "unknown.csv"), "petId,colour\n9,red\n");
  const refused = await run(["import", "--orders", "unknown.csv"], at(imported));
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/colour.*petId.*note/s) });
  await succeed(at(sqlite), "backup", "store.backup");
  await succeed(at("sqlite:./restored.db"), "restore", "store.backup", "--ids-from", "1000");
  await succeed(at(sqlite), "copy", "--from", sqlite, "--to", database);
  for (const url of ["sqlite:./restored.db", database]) {
    await using service = await serve(at(url));
    const ask = asker(service.address, key);
    expect(await ask("GET", "/orders")).toEqual(orders);
    expect(await ask("GET", "/orders?status=approved&include=pet")).toMatchObject([
      { note: NOTE, pet: { id: 1 } },
    ]);
    const { AnimalStore } = await import(join(program, "../../client/main.ts"));
    const client = new AnimalStore({ baseUrl: `${service.address}/v1`, apiKey: key });
    const placed = await client.orders.place(3n, { note: NOTE, idempotencyKey: "by the client" });
    expect(placed).toMatchObject({ petId: 3n, note: NOTE });
    expect(await client.orders.get(placed.id)).toEqual(placed);
    await expectEvent(ask, "order.placed", { ...noted, id: Number(placed.id), petId: 3 });
    const { page } = await openConsole(
      browser,
      { address: service.address, key },
      { path: "/?view=orders&order=1" },
    );
    await page.locator("dl.facts", { hasText: "Note" }).getByText(NOTE).waitFor();
    await page.goto(`${service.address}/?view=orders`);
    await page.locator(".more-menu > summary").click();
    const exported = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).click();
    expect(await Bun.file(await (await exported).path()).text()).toContain(IN_CSV);
  }
}

async function addAnimals(ask: Ask, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await ask("POST", "/pets", { name: "Rex", categoryId: 1 });
}

/** Asserts that the last event of a type shows an order as it is. */
async function expectEvent(ask: Ask, type: string, order: object): Promise<void> {
  const events = (await ask("GET", `/events?type=${type}`)) as { order: object }[];
  expect(events.at(-1)?.order).toEqual(order);
}
