import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startBrowser } from "../../test/browser/browser.ts";
import { startService } from "../../test/support/service.ts";

const ROOT = join(import.meta.dir, "../..");

test("each text of README's drawing stays in its box", async () => {
  await using service = await startService();
  await using browser = await startBrowser();
  const { page } = await browser.open(`${service.address}/nope`);
  // The policy of the pages forbids a style in the page, which decides how wide a text is.
  await page.goto("about:blank");
  await page.setContent(readFileSync(join(ROOT, "docs/overview.svg"), "utf8"));
  const outside = await page.evaluate<string[]>(`(() => {
    const boxes = [...document.querySelectorAll("rect[x]")].map((rect) => rect.getBBox());
    return [...document.querySelectorAll("text")].filter((element) => {
      const { x, y, width, height } = element.getBBox();
      const [box] = boxes
        .filter((each) => y + height / 2 > each.y && y + height / 2 < each.y + each.height)
        .filter((each) => x + width / 2 > each.x && x + width / 2 < each.x + each.width)
        .sort((one, other) => one.width - other.width);
      return box && (x < box.x + 4 || x + width > box.x + box.width - 4);
    }).map((element) => element.textContent);
  })()`);
  expect(outside).toEqual([]);
});

test("README's pictures exist, each with a dark form", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const pictures = [...readme.matchAll(/<picture>(.*?)<\/picture>/gs)].map(([, content = ""]) => content);
  expect(pictures).toHaveLength(2);
  for (const picture of pictures) {
    const files = [...picture.matchAll(/src(?:set)?="([^"]+)"/g)].map(([, file = ""]) => file);
    expect(files).toHaveLength(2);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(picture).toContain('media="(prefers-color-scheme: dark)"');
    expect(picture).toMatch(/alt="[^"]{40,}"/);
  }
});
