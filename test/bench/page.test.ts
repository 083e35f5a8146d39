import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withMeasured } from "../../bench/report/page.ts";
import { drawPicture } from "../../bench/report/picture.ts";
import type { Section } from "../../bench/report/section.ts";
import { renderSection } from "../../bench/report/text.ts";
import { spread } from "../../bench/spread.ts";

const SECTION: Section = {
  name: "list",
  title: "Lists & more",
  notes: ["A note."],
  columns: [
    { key: "requestsPerSecond", label: "requests/s", digits: 0 },
    { key: "cpuPerRequest", label: "CPU µs", digits: 1 },
  ],
  rows: [
    {
      name: "ours",
      kind: "ours",
      figures: { requestsPerSecond: spread([1000, 3000, 2000]), cpuPerRequest: spread([9.04, 9.01]) },
    },
    { name: "<theirs>", kind: "peer", figures: { requestsPerSecond: spread([500]) } },
  ],
  findings: [],
};

test("the page keeps what is written by hand, each time that it is measured", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/performance.md"), "utf8");
  const first = withMeasured(page, "FIRST");
  const second = withMeasured(first, "SECOND");
  const withoutMeasured = (text: string) =>
    text.replace(/(<!-- measured:.*?-->).*(<!-- \/measured -->)/s, "$1$2");
  expect(second).toContain("SECOND");
  expect(second).not.toContain("FIRST");
  expect(withoutMeasured(second)).toBe(withoutMeasured(page));
  expect(withoutMeasured(page)).toContain("## Where the time goes");
});

test("a page without its marks is left alone", () => {
  expect(() => withMeasured("# By hand", "figures")).toThrow("lacks its marks");
  expect(() => withMeasured("<!-- measured: --> figures", "figures")).toThrow("lacks its marks");
});

test("a table shows the median, how far the values lie apart, and nothing that was not measured", () => {
  expect(renderSection(SECTION)).toBe(
    `### Lists & more

|          |             requests/s | CPU µs |
| -------- | ---------------------: | -----: |
| ours     | 2,000 (1,000 to 3,000) |    9.0 |
| <theirs> |                    500 |        |

- A note.`,
  );
});

test("the picture has a bar for each side, as long as its median, and is XML whatever names hold", () => {
  const picture = drawPicture([SECTION, { ...SECTION, rows: [] }]);
  const bars = [...picture.matchAll(/<rect class="(\w+)" x="270" y="\d+" width="([\d.]+)"/g)];
  expect(bars.map(([, kind]) => kind)).toEqual(["ours", "peer"]);
  const [ours, theirs] = bars.map(([, , width]) => Number(width));
  expect(ours).toBeCloseTo(4 * (theirs as number), 0);
  expect(picture).toContain("Lists &amp; more");
  expect(picture).toContain("&lt;theirs>");
});
