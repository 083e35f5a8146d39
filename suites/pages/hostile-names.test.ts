import { expect, test } from "bun:test";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser } from "../../test/browser/browser.ts";
import { openConsole, unexpected } from "../../test/browser/console.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startService } from "../../test/support/service.ts";

const COUNT = 3_000;
const PER_PAGE = 100;

/** Names that are long, written from right to left, hidden, piled up, joined, or that would be markup. */
const NAMES: readonly string[] = [
  "<img src=x onerror=alert(1)>",
  "</td></tr></table><script>alert(1)</script>",
  '"><svg/onload=alert(1)>',
  "a".repeat(255),
  "W ".repeat(127),
  "😀".repeat(255),
  "مرحبا قط ".repeat(28),
  "שלום חתול",
  "\u202eexe.gnp\u2066 Rex",
  "\u200b\u200d\ufeff.",
  `Z${"\u0353\u0352\u035b".repeat(80)}a`,
  "👨‍👩‍👧‍👦".repeat(20),
  "a\nb\tc\r\nd",
  "    spaced    ",
  "ﷺ".repeat(60),
  "𒐫".repeat(120),
  "null",
  '=HYPERLINK("http://example.com")',
];

/** What a name would be if it were markup. */
const INJECTED = ":is(main, dialog, .menu) :is(img, script, svg[onload])";

test(
  `axe finds nothing on the console's views of ${COUNT} long, hostile and right-to-left names, and each fits its window`,
  async () => {
    await using service = await startService();
    await service.store.recordEvents(true);
    await using browser = await startBrowser();
    for (let n = 0; n < COUNT; n++) {
      const name = NAMES[n % NAMES.length];
      expect((await service.create(JSON.stringify({ name, categoryId: n }))).status).toBe(201);
    }
    const headers = { "content-type": "application/json" };
    for (let petId = 1; petId <= NAMES.length; petId++)
      await service.call("/v1/orders", { method: "POST", headers, body: `{"petId":${petId}}` });
    const visit = await openConsole(browser, service, { path: `/?limit=${PER_PAGE}` });
    const { page } = visit;
    // A page that is left before the key is checked forgets it.
    await page.locator(".items tbody tr").first().waitFor();
    const look = async (path: string, part?: string) => {
      await page.goto(service.address + path);
      await page
        .locator(part ? `${part} .facts` : ".items tbody tr")
        .first()
        .waitFor();
      await expectAccessible(page, part);
      await expectToFit(page);
    };
    await look(`/?limit=${PER_PAGE}`);
    await look("/?view=orders&status=open");
    for (const [at] of NAMES.entries()) await look(`/?animal=${COUNT - at}`, ".panel");
    for (const [at] of NAMES.entries()) await look(`/?view=orders&order=${at + 1}`, ".panel");
    // Marks that pile up stay in their row.
    await page.goto(`${service.address}/?limit=${PER_PAGE}`);
    await page
      .locator(".items tbody tr")
      .nth(PER_PAGE - 1)
      .waitFor();
    const tallest = await page.evaluate<number>(
      "Math.max(...[...document.querySelectorAll('.items tbody tr')].map((row) => row.offsetHeight))",
    );
    expect(tallest).toBeLessThan(80);
    // And they push no other column out of sight.
    const hidden = await page.evaluate<number>(
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('main .scroll'))",
    );
    expect(hidden).toBe(0);
    // The menu of a row, that of the list, and the latest changes, which tell of such names.
    await page.locator(".feed-state.connected").waitFor();
    for (const name of NAMES) await service.create(JSON.stringify({ name, categoryId: 1 }));
    await page.locator(".items tbody tr", { hasText: String(COUNT + NAMES.length) }).waitFor();
    for (const [opens, part] of [
      [".row-menu-button", ".row-menu:popover-open"],
      [".more-menu > summary", ".more-menu"],
      [".feed > summary", ".feed"],
      [".menu > summary", ".menu"],
    ] as const) {
      await page.locator(opens).first().click();
      await expectAccessible(page, part);
      await expectToFit(page);
      await page.keyboard.press("Escape");
    }
    for (const query of NAMES.map((name) => name.replaceAll(/[\r\n]/g, " "))) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill(query);
      await page
        .locator("dialog.search [role=status]")
        .getByText(/result|Nothing found/)
        .waitFor();
      await expectAccessible(page, "dialog.search");
      await expectToFit(page);
      await page.keyboard.press("Escape");
    }
    expect(await page.locator(INJECTED).count()).toBe(0);
    expect(unexpected(visit)).toEqual([]);
  },
  LONG_RUN_MS,
);

test(
  `axe finds nothing on an import of ${COUNT} long, hostile and right-to-left names, nor on what it refuses`,
  async () => {
    await using service = await startService();
    await using browser = await startBrowser();
    const visit = await openConsole(browser, service);
    const { page } = visit;
    const dialog = page.getByRole("dialog");
    const look = async () => {
      await expectAccessible(page, "dialog");
      await expectToFit(page);
    };
    // Every third row has a status that no animal has, so that its text is told of.
    const field = (text = "") => `"${text.replaceAll('"', '""')}"`;
    const rows = Array.from({ length: COUNT }, (_, n) => {
      const name = field(NAMES[n % NAMES.length]);
      return `${name},${n},${n % 3 === 0 ? name : "sold"}`;
    });
    await page.locator(".empty").waitFor();
    await page.locator(".more-menu > summary").click();
    await page.getByRole("button", { name: "Import a CSV file" }).click();
    const buffer = Buffer.from(["name,categoryId,status", ...rows].join("\n"));
    await page.locator("#import-file").setInputFiles({ name: "hostile.csv", mimeType: "text/csv", buffer });
    await dialog
      .getByText("The file has 2,000 animals that can be added, and 1,000 rows that cannot.")
      .waitFor();
    await look();
    await page.getByRole("button", { name: "Import 2,000 animals" }).click();
    await dialog.getByText("2,000 of 2,000 animals added. Done.").waitFor();
    await look();
    expect(await page.locator(INJECTED).count()).toBe(0);
    expect(unexpected(visit)).toEqual([]);
  },
  LONG_RUN_MS,
);
