import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expectAccessible, expectToFit } from "../../test/browser/accessibility.ts";
import { startBrowser, type TestBrowser } from "../../test/browser/browser.ts";
import { openConsole, tabTo, unexpected } from "../../test/browser/console.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { run } from "../../test/support/program.ts";
import { type Service, startService } from "../../test/support/service.ts";

const GREATEST = "9223372036854775807";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");

async function openMore(page: Page): Promise<void> {
  await page.locator("table.items, .empty").first().waitFor();
  await page.locator(".more-menu > summary").click();
}

async function chooseFile(page: Page, text: string): Promise<void> {
  await openMore(page);
  await button(page, "Import a CSV file").click();
  const buffer = Buffer.from(text);
  await page.locator("#import-file").setInputFiles({ name: "new.csv", mimeType: "text/csv", buffer });
}

async function animals(service: Service): Promise<{ name: string }[]> {
  return (await service.call("/v1/pets?limit=100")).json() as Promise<{ name: string }[]>;
}

/** What a click has the browser save. */
async function saved(page: Page, click: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return Bun.file(await download.path()).text();
}

test("the list is exported as CSV through all its pages, byte for byte as the export command writes it", async () => {
  await using service = await startService();
  await service.create(`{"name":"a \\"quote\\", a comma","categoryId":${GREATEST}}`);
  for (let n = 2; n <= 120; n++) await service.create(`{"name":"Animal ${n}","categoryId":-${n}}`);
  const visit = await openConsole(browser, service);
  const { page } = visit;
  await openMore(page);
  const text = await saved(page, () => button(page, "Export as CSV").click());
  using folder = temporaryFolder();
  const file = join(folder.path, "animals.csv");
  await run(["export", file, "--database", service.database.url], { cwd: folder.path });
  expect(text).toBe(await Bun.file(file).text());
  await dialog(page).getByText("120 animals are in animals.csv").waitFor();
  await expectAccessible(page);
  expect(unexpected(visit)).toEqual([]);
});

test("a CSV file is checked before its first row is sent, and what was not added can be saved", async () => {
  await using service = await startService();
  const visit = await openConsole(browser, service);
  const { page } = visit;
  const rows = ["Max,1,", `"Mia, the ""small""",${GREATEST},sold`, ",3,", "Tom,1,lost", "Kim,1"];
  await chooseFile(page, ["name,categoryId,status", ...rows, ""].join("\r\n"));
  await dialog(page).getByText("The file has 2 animals that can be added, and 3 rows that cannot.").waitFor();
  expect(await dialog(page).locator(".import-preview tr").allInnerTexts()).toEqual([
    "Name\tCategory\tStatus",
    "Max\t1\tavailable by default",
    `Mia, the "small"\t${GREATEST}\tsold`,
  ]);
  const faults = [
    "Line 4: name is empty\n,3,",
    "Line 5: status is “lost”, and may be available, pending or sold\nTom,1,lost",
    "Line 6: has 2 fields, but the first line names 3 columns\nKim,1",
  ];
  const refused = dialog(page).locator(".import-refused li");
  expect(await refused.allInnerTexts()).toEqual(faults);
  await expectAccessible(page);
  await expectToFit(page);
  await tabTo(page, button(page, "Import 2 animals"));
  await page.keyboard.press("Enter");
  await dialog(page).getByText("2 of 2 animals added. Done.").waitFor();
  expect(await refused.allInnerTexts()).toEqual(faults);
  // At a desk the buttons have a line, and on a phone the main button is above the others.
  const middles = () =>
    dialog(page)
      .locator(".dialog-actions .button")
      .evaluateAll((buttons) => buttons.map((each) => Math.round(each.getBoundingClientRect().top)));
  await page.setViewportSize({ width: 1440, height: 900 });
  const [download, close, correct] = await middles();
  expect([close, correct]).toEqual([download, download]);
  await page.setViewportSize({ width: 390, height: 844 });
  const [, below = 0, above = 0] = await middles();
  expect(above).toBeLessThan(below);
  expect(service.answered.filter(({ status }) => status === 400)).toEqual([]);
  await expectAccessible(page);
  await expectToFit(page);
  const rejects = await saved(page, () => button(page, "Download them").click());
  expect(rejects.split("\r\n")).toEqual([
    "name,categoryId,status",
    "# line 4: `name` is empty",
    ",3,",
    "# line 5: `status` is “lost”, and may be available, pending or sold",
    "Tom,1,lost",
    "# line 6: has 2 fields, but the first line names 3 columns",
    "Kim,1",
    "",
  ]);
  expect(await animals(service)).toMatchObject([{ name: "Max" }, { name: 'Mia, the "small"' }]);
  await button(page, "Close").click();
  await page.getByText("2 animals, ids 2 to 1").waitFor();
  expect(unexpected(visit)).toEqual([]);
});

test("a file without statuses is shown with what the service gives, and without ids that are not kept", async () => {
  await using service = await startService();
  const { page } = await openConsole(browser, service);
  const rows = Array.from({ length: 7 }, (_, at) => `${at + 71},${at},Animal ${at}\n`);
  await chooseFile(page, `id,categoryId,name\n${rows.join("")}`);
  await dialog(page).getByText("and 2 more").waitFor();
  expect((await dialog(page).locator(".import-preview tr").allInnerTexts()).slice(0, 2)).toEqual([
    "Name\tCategory\tStatus",
    "Animal 0\t0\tavailable by default",
  ]);
  await button(page, "Import 7 animals").click();
  await dialog(page).getByText("7 of 7 animals added. Done.").waitFor();
  const first = await (await service.call("/v1/pets/1")).json();
  expect(first).toMatchObject({ name: "Animal 0", status: "available" });
});

test("a file of rejects is imported as it is, once its rows are corrected", async () => {
  await using service = await startService();
  const { page } = await openConsole(browser, service);
  await chooseFile(page, "name,categoryId,status\n,3,\nTom,1,lost\nMia,1,\n");
  await button(page, "Import 1 animal").click();
  await dialog(page).getByText("1 of 1 animal added. Done.").waitFor();
  const rejects = await saved(page, () => button(page, "Download them").click());
  await button(page, "Close").click();
  const corrected = rejects.replace("\r\n,3,", "\r\nKim,3,").replace("Tom,1,lost", '"# line 7: Tom",1,sold');
  await chooseFile(page, corrected);
  await dialog(page)
    .getByText("The file has 2 animals. The 2 lines that begin with “# line” are skipped.")
    .waitFor();
  await button(page, "Import 2 animals").click();
  await dialog(page).getByText("2 of 2 animals added. Done.").waitFor();
  expect((await animals(service)).map(({ name }) => name)).toEqual(["Mia", "Kim", "# line 7: Tom"]);
});

test("rows that were not added can be corrected in the dialog, and the rest of the file is not added twice", async () => {
  await using service = await startService();
  const visit = await openConsole(browser, service);
  const { page } = visit;
  await chooseFile(
    page,
    `name,categoryId,status\r\nMia,1,\r\nTom,1,lost\r\n"\u202eevil, ${"x".repeat(200)}",,\r\n`,
  );
  await button(page, "Import 1 animal").click();
  await dialog(page).getByText("1 of 1 animal added. Done.").waitFor();
  await dialog(page).getByText("U+202E").waitFor();
  await expectToFit(page);
  await button(page, "Correct them here").click();
  const rows = dialog(page).getByLabel("Rows to correct");
  const written = await rows.inputValue();
  await rows.fill(written.replace("Tom,1,lost", "Tom,1,sold"));
  await dialog(page).getByText("The file has 1 animal that can be added, and 1 row that cannot.").waitFor();
  expect(await button(page, "Correct them here").count()).toBe(0);
  await expectAccessible(page);
  await expectToFit(page);
  await rows.fill(written.replace("name,", "title,"));
  await dialog(page).getByText('The first line names the column "title".').waitFor();
  await rows.fill(`${written.replace("Tom,1,lost", "Tom,1,sold").replace('",,', '",2,')}`);
  await button(page, "Import 2 animals").click();
  await dialog(page).getByText("2 of 2 animals added. Done.").waitFor();
  expect(await button(page, "Correct them here").count()).toBe(0);
  await button(page, "Close").click();
  await page.getByText("3 animals, ids 3 to 1").waitFor();
  expect((await animals(service)).map(({ name }) => name.slice(0, 6))).toEqual(["Mia", "Tom", "\u202eevil,"]);
  expect(unexpected(visit)).toEqual([]);
});

test("the Escape key stops an import and keeps its report, and then closes the dialog", async () => {
  await using service = await startService();
  const { page } = await openConsole(browser, service);
  let posts = 0;
  await page.route("**/v1/pets", (route) => (++posts > 2 ? route.abort() : route.continue()));
  // The service alone knows what a number is in the end.
  await chooseFile(page, "name,categoryId\nA,1\nB,1.5\nC,3\n");
  await button(page, "Import 3 animals").click();
  await dialog(page).getByText("No response came.").waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).getByText("1 of 3 animals added. Stopped.").waitFor();
  await dialog(page).getByText("Line 3: categoryId must be").waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  const more = page.locator(".more-menu > summary");
  expect(await more.evaluate((element) => element.matches(":focus"))).toBe(true);
});

test("the file that was chosen last is imported, however long an earlier choice takes to read", async () => {
  await using service = await startService();
  const { page } = await openConsole(browser, service);
  // The first file is held back until the script calls `release`.
  await page.evaluate(`{
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = async function () {
      Blob.prototype.arrayBuffer = read;
      await new Promise((resolve) => (window.release = resolve));
      return read.call(this);
    };
  }`);
  await chooseFile(page, "name,categoryId\nA,1\n");
  const buffer = Buffer.from("name,categoryId\nB,1\nC,1\n");
  await page.locator("#import-file").setInputFiles({ name: "other.csv", mimeType: "text/csv", buffer });
  await dialog(page).getByText("The file has 2 animals.").waitFor();
  await page.evaluate("release(); new Blob(['as long']).arrayBuffer()");
  await button(page, "Import 2 animals").click();
  await dialog(page).getByText("2 of 2 animals added. Done.").waitFor();
  expect((await animals(service)).map(({ name }) => name)).toEqual(["B", "C"]);
});

test("an import that loses responses, is stopped and continues adds each row once", async () => {
  await using service = await startService();
  const { page } = await openConsole(browser, service);
  let posts = 0;
  await page.route("**/v1/pets", async (route) => {
    posts++;
    // The second row arrives, and nobody learns it.
    if (posts === 2) await route.fetch();
    await (posts >= 2 ? route.abort() : route.continue());
  });
  await chooseFile(page, "name,categoryId\nA,1\nB,2\nC,3\n");
  await button(page, "Import 3 animals").click();
  await dialog(page).getByText("No response came.").waitFor();
  await button(page, "Stop").click();
  await dialog(page).getByText("1 of 3 animals added. Stopped.").waitFor();
  expect((await animals(service)).map(({ name }) => name)).toEqual(["A", "B"]);
  await page.unroute("**/v1/pets");
  await button(page, "Continue").click();
  await dialog(page).getByText("3 of 3 animals added. Done.").waitFor();
  expect((await animals(service)).map(({ name }) => name)).toEqual(["A", "B", "C"]);
});

test("an import sends a row again after a proxy's timeout, and waits until the date that a response names", async () => {
  await using service = await startService();
  const { page } = await openConsole(browser, service);
  await page.clock.install();
  const later = new Date(Date.now() + 3_600_000).toUTCString();
  const answers = [{ status: 408 }, { status: 503, headers: { "Retry-After": later } }];
  let posts = 0;
  await page.route("**/v1/pets", async (route) => {
    const answer = answers[posts++];
    await (answer ? route.fulfill(answer) : route.continue());
  });
  await chooseFile(page, "name,categoryId\nA,1\n");
  // It is shown until the clock, which does not stop, has passed the pause: the page looks for it before the click.
  const told = dialog(page).getByText("answered with the status 408").waitFor();
  await button(page, "Import 1 animal").click();
  await told;
  await page.clock.runFor(2_000);
  await dialog(page).getByText("answered with the status 503").waitFor();
  await page.clock.runFor(60_000);
  expect(posts).toBe(2);
  await page.clock.runFor(3_600_000);
  await dialog(page).getByText("1 of 1 animal added. Done.").waitFor();
});

test("an import whose key ends says so, and its rest can be saved", async () => {
  await using service = await startService();
  const { id, key } = await service.issueKey();
  const { page } = await openConsole(browser, service, { key });
  await chooseFile(page, "name,categoryId\nA,1\nB,2\n");
  await service.store.revokeKey(id, Date.now());
  await button(page, "Import 2 animals").click();
  await dialog(page).getByText("The service no longer knows this key").waitFor();
  const rest = await saved(page, () => button(page, "Download them").click());
  expect(rest).toBe("name,categoryId\r\nA,1\r\nB,2\r\n");
});

test("a file that is dropped anywhere is shown before it is imported, with its thousands", async () => {
  await using service = await startService();
  const { page } = await openConsole(browser, service);
  await page.getByText("No animals yet").waitFor();
  const drop = (name: string, text: string) =>
    page.evaluate(
      `{
        const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
        const fire = (type) =>
          document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
          );
        if (fire("dragover")) throw new Error("the browser would open the file");
        window.wasMarked = document.body.matches(".dropping");
        fire("drop");
      }`,
    );
  await drop("animals.csv", `name,categoryId\n${"Rex,1\n".repeat(3_000)},1\n`);
  await dialog(page)
    .getByText("The file has 3,000 animals that can be added, and 1 row that cannot.")
    .waitFor();
  await dialog(page).getByText("Line 3,002: name is empty").waitFor();
  expect(await page.evaluate("[wasMarked, document.body.matches('.dropping')]")).toEqual([true, false]);
  await button(page, "Import 3,000 animals").waitFor();
  await drop("german.csv", "name;categoryId\nRex;1\n");
  await dialog(page)
    .getByText("The columns are separated by semicolons. Save the file as CSV with commas")
    .waitFor();
  await expectAccessible(page);
});

test("an import goes on in a corner, with an estimate, while a person works", async () => {
  await using service = await startService();
  const visit = await openConsole(browser, service);
  const { page } = visit;
  let posts = 0;
  const held = Promise.withResolvers<void>();
  await page.route("**/v1/pets", async (route) => {
    if (++posts === 3) await held.promise;
    // Each row takes ten seconds by the clock that the estimate reads, which this test alone sets forward.
    if (posts < 3) await page.evaluate("pass(10_000)");
    await route.continue();
  });
  await page.evaluate(`{
    let now = performance.now();
    performance.now = () => now;
    window.pass = (milliseconds) => { now += milliseconds; };
  }`);
  await chooseFile(page, "name,categoryId\nA,1\nB,2\nC,3\nD,4\n");
  await button(page, "Import 4 animals").click();
  await button(page, "Work on meanwhile").click();
  const corner = page.getByRole("region", { name: "Import" });
  await corner.getByText("2 of 4 animals added, about 20 s left").waitFor();
  await expectAccessible(page);
  await page.getByText("Sold", { exact: true }).click();
  await page.getByRole("heading", { name: "No sold animals" }).waitFor();
  held.resolve();
  await corner.getByText("4 of 4 animals added. Done.").waitFor();
  await corner.getByRole("button", { name: "Report" }).click();
  await dialog(page).getByText("4 of 4 animals added. Done.").waitFor();
  await button(page, "Close").click();
  await dialog(page).waitFor({ state: "detached" });
  expect(unexpected(visit)).toEqual([]);
});
