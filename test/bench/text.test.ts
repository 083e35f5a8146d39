import { expect, test } from "bun:test";
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
