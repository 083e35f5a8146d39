// `npm run pictures`: makes README's pictures of the pages again, in light and in dark. Look at them before you commit them:
// as with `npm run walk`, CHROMIUM may name a browser with the fonts that npm's lacks, such as one for code.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { signIn } from "../test/browser/console.ts";
import { launchBrowser } from "../test/browser/launch.ts";
import { type Service, startService } from "../test/support/service.ts";

const FOLDER = join(import.meta.dir, "../docs/images");
const WINDOW = { width: 1440, height: 810 };
const QUALITY = 0.8;

/** With the categories of the animals, from the oldest: as many as the window has room for, with the end of their page. */
const ANIMALS = [
  ["Luna", "1"],
  ["Milo", "1"],
  ["Bella", "2"],
  ["Мурка", "2"],
  ["Oskar von Tannenberg", "3"],
  ["Žofka", "1"],
  ["Kiwi", "4"],
  ["Mia", "9223372036854775807"],
  ["Pippa", "3"],
  ["שוקו", "2"],
  ["Nala", "1"],
  ["Rex", "2"],
  ["Hugo", "4"],
  ["Coco", "3"],
] as const;
/** The steps of each order, by its animal. */
const ORDERS = { 3: ["approved", "delivered"], 12: ["approved"], 9: [], 14: [] };

await using service = await startService();
await service.store.recordEvents(true);
for (const [name, category] of ANIMALS)
  await service.create(`{"name":${JSON.stringify(name)},"categoryId":${category}}`);
for (const [at, [petId, steps]] of Object.entries(ORDERS).entries()) {
  await send(service, "POST", "/v1/orders", { petId: Number(petId) });
  for (const status of steps) await send(service, "PATCH", `/v1/orders/${at + 1}`, { status });
}

await using browser = await launchBrowser();
for (const colorScheme of ["light", "dark"] as const) {
  const animal = await browser.newPage({ viewport: WINDOW, colorScheme });
  await animal.goto(`${service.address}/?animal=12`);
  await signIn(animal, service.key);
  await animal.locator(".panel .timeline").waitFor();
  await animal.locator(".feed-state.connected").waitFor();
  await keep(animal, "console", colorScheme);
  // Without a key, as its reader sees it at first.
  const operation = await browser.newPage({ viewport: WINDOW, colorScheme });
  await operation.goto(`${service.address}/docs#createPet`);
  await operation.locator("#createPet .tabs").waitFor();
  await operation.locator('.sidebar a[aria-current][href$="#createPet"]').waitFor();
  await keep(operation, "reference", colorScheme);
}

async function send(to: Service, method: string, path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await to.call(path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
}

/** Writes what a page shows as WebP, which the browser's own canvas encodes, and closes it. */
async function keep(page: Page, name: string, scheme: "light" | "dark"): Promise<void> {
  const png = (await page.screenshot({ animations: "disabled" })).toString("base64");
  await page.close();
  const blank = await browser.newPage();
  const url = await blank.evaluate<string>(`(async () => {
    const picture = new Image();
    picture.src = "data:image/png;base64,${png}";
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d").drawImage(picture, 0, 0);
    return canvas.toDataURL("image/webp", ${QUALITY});
  })()`);
  await blank.close();
  const file = join(FOLDER, `${name}${scheme === "dark" ? "-dark" : ""}.webp`);
  console.log(file, await Bun.write(file, Buffer.from(url.split(",")[1] ?? "", "base64")));
}
