// `npm run walk -- FOLDER [VIEW…]`: takes a picture of each view of the pages, or of those named, on a phone and at a desk,
// in light and in dark, for people who look at them one by one. They show a sandbox, and an empty store.
//
// npm's browser has one font, without the letters of six of the sandbox's names, and draws nothing for them. CHROMIUM may
// name a browser of a machine that has them, as with Debian's fonts-noto-core, fonts-noto-cjk and fonts-noto-color-emoji.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { signIn } from "../test/browser/console.ts";
import { launchBrowser } from "../test/browser/launch.ts";
import { startSandbox } from "../test/support/sandbox.ts";
import { startService } from "../test/support/service.ts";

const WINDOWS = [
  // Two pixels to a point, as the screen of a phone has at least.
  { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 },
];

/** Rows that can be added, in two scripts, and three that cannot. */
const FILE = "name,categoryId,status\nMax,1,\nKočka,9223372036854775807,sold\n,3,\nTom,1,lost\nKim,1\n";

interface Place {
  readonly address: string;
  readonly key: string;
}

/** What leads to a view, and waits until it is whole. */
type Visit = (page: Page) => Promise<unknown>;

const [folder, ...names] = process.argv.slice(2);
if (!folder) throw new Error("usage: npm run walk -- FOLDER [VIEW…]");
mkdirSync(folder, { recursive: true });

await using sandbox = await startSandbox();
await using empty = await startService();
await using browser = await launchBrowser();

const VIEWS: Readonly<Record<string, Visit>> = {
  "sign-in": (page) => open(page, "/", "form"),
  animals: (page) => visit(page, "/", ".animals .name"),
  "animal-panel": (page) => visit(page, "/?animal=24", ".panel h2"),
  "order-panel": (page) => visit(page, "/?view=orders&status=open&order=1", ".panel h2"),
  orders: (page) => visit(page, "/?view=orders&status=open", ".orders td"),
  "import-preview": importPreview,
  async "import-report"(page) {
    await importPreview(page);
    await page.getByRole("button", { name: "Import 2 animals" }).click();
    await page.getByText("2 of 2 animals added. Done.").waitFor();
  },
  async search(page) {
    await visit(page, "/", ".animals .name");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("ma");
    await page.locator(".finding").first().waitFor();
  },
  reference: (page) => open(page, "/docs", ".tabs"),
  guide: (page) => open(page, "/docs/guides/paging", ".copy-markdown"),
  async sandbox(page) {
    await sandbox.plan({ fault: "429", count: 1 });
    await sandbox.call("/v1/pets?limit=2");
    await sandbox.call("/v1/orders");
    await open(page, "/_sandbox/console", ":is(.latest-request, .requests-seen li) >> visible=true");
  },
  empty: (page) => visit(page, "/", ".empty", empty),
};

const unknown = names.filter((name) => !(name in VIEWS));
if (unknown.length > 0) throw new Error(`no view ${unknown}: there are ${Object.keys(VIEWS).join(", ")}`);

for (const [name, lead] of Object.entries(VIEWS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const window of WINDOWS) {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({ ...window, colorScheme });
      await sandbox.control("POST", "/reset");
      await lead(page);
      const path = join(folder, `${name}-${window.viewport.width}-${colorScheme}.png`);
      await page.screenshot({ path, animations: "disabled" });
      await page.close();
      console.log(path);
    }
  }
}

async function open(page: Page, path: string, whole: string, { address }: Pick<Place, "address"> = sandbox) {
  await page.goto(address + path);
  await page.locator(whole).first().waitFor();
}

/** Opens a view of the console with a key. */
async function visit(page: Page, path: string, whole: string, place: Place = sandbox): Promise<void> {
  await page.goto(place.address + path);
  await signIn(page, place.key);
  await page.locator(whole).first().waitFor();
  await page.locator(".feed-state.connected").waitFor();
}

async function importPreview(page: Page): Promise<void> {
  await visit(page, "/", ".animals .name");
  await page.locator(".more-menu > summary").click();
  await page.getByRole("button", { name: "Import a CSV file" }).click();
  const buffer = Buffer.from(FILE);
  await page.locator("#import-file").setInputFiles({ name: "new.csv", mimeType: "text/csv", buffer });
  await page.getByText("and 3 rows that cannot").waitFor();
}
