import { expect, test } from "bun:test";
import { cpuMicroseconds, TICK_MICROSECONDS, treeOf } from "../../bench/accounting.ts";
import { isMet } from "../../bench/report/section.ts";
import { medianInterval, percentile, quotients, spread } from "../../bench/spread.ts";

test("a spread is the middle value, or the mean of the two in the middle, and both ends", () => {
  expect(spread([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 });
  expect(spread([10, 9, 100, 1])).toEqual({ median: 9.5, min: 1, max: 100 });
  expect(spread([7])).toEqual({ median: 7, min: 7, max: 7 });
});

test("no figure is computed from no values", () => {
  expect(() => spread([])).toThrow("no spread");
  expect(() => spread([1, Number.NaN])).toThrow("no spread");
  expect(() => quotients([1, 2], [1])).toThrow("no spread");
});

test("a ratio compares what was measured in the same round", () => {
  // The second round was slow for both. The ratio of the medians would be 1.
  expect(quotients([200, 20, 100], [100, 10, 100])).toEqual({ median: 2, min: 1, max: 2 });
});

test("an interval contains the true median in 95 of 100 cases, and spans all values if there are few", () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => count - index);
  expect(medianInterval(upTo(5))).toEqual({ median: 3, min: 1, max: 5 });
  expect(medianInterval(upTo(6))).toEqual({ median: 3.5, min: 1, max: 6 });
  // As tables of the sign test have them.
  expect(medianInterval(upTo(9))).toEqual({ median: 5, min: 2, max: 8 });
  expect(medianInterval(upTo(20))).toEqual({ median: 10.5, min: 6, max: 15 });
  expect(medianInterval(upTo(50))).toEqual({ median: 25.5, min: 18, max: 33 });
});

test("a percentile is a value that occurred, and that its share of all does not exceed", () => {
  const thousand = Float64Array.from({ length: 1000 }, (_, index) => index + 1);
  expect(percentile(thousand, 0.5)).toBe(500);
  expect(percentile(thousand, 0.99)).toBe(990);
  expect(percentile(thousand, 0.999)).toBe(999);
  expect(percentile(thousand, 1)).toBe(1000);
  expect(percentile([3, 4], 0.5)).toBe(3);
  expect(percentile([3, 4], 0.501)).toBe(4);
  expect(percentile([3], 0)).toBe(3);
});

test("an aim is met at exactly its figure", () => {
  const value = spread([1, 2, 3]);
  expect(isMet({ atLeast: 2 }, value)).toBe(true);
  expect(isMet({ atLeast: 2.01 }, value)).toBe(false);
  expect(isMet({ atMost: 2 }, value)).toBe(true);
  expect(isMet({ atMost: 1.99 }, value)).toBe(false);
});

test("the CPU time of a process is that of all it has started, also of those that have ended", async () => {
  // The parent only waits: what it has used itself is below one tick of the kernel's.
  const count = 'i=0; while [ "$i" -lt 200000 ]; do i=$((i+1)); done';
  const ended = `sh -c '${count}; :'; echo done; read -r _`;
  const alive = `sh -c '${count}; echo done; read -r _; :'; :`;
  for (const script of [ended, alive]) {
    await using parent = Bun.spawn(["sh", "-c", script], { stdin: "pipe", stdout: "pipe" });
    const said = await parent.stdout.getReader().read();
    expect(new TextDecoder().decode(said.value)).toBe("done\n");
    expect(treeOf(parent.pid)).toHaveLength(script === alive ? 2 : 1);
    expect(cpuMicroseconds(parent.pid)).toBeGreaterThanOrEqual(2 * TICK_MICROSECONDS);
    parent.stdin.end();
    await parent.exited;
  }
});
