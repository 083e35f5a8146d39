import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readJson, withInt64, writeJson } from "../../client/exact-json.ts";
import { linkTo } from "../../client/link.ts";
import { randomId } from "../../client/request.ts";
import { retryDelay } from "../../client/retry.ts";
import { retryAfterMs } from "../../client/retry-after.ts";
import { RetryBudget } from "../../client/retry-budget.ts";
import { Turns } from "../../client/turns.ts";
import { sleep, within } from "../../client/within.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "binary" }),
    int64,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(fc.string(), tie("value")),
  ),
})).value;

describe("JSON", () => {
  /** What reading gives for an integer: its digits where there are 16 or more, which `withInt64` evens out. */
  const asRead = (value: unknown): unknown => {
    if (typeof value === "bigint") return /\d{16}/.test(`${value}`) ? `${value}` : Number(value);
    if (Array.isArray(value)) return value.map(asRead);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asRead(member)]));
  };

  test("written values are read back unchanged", () => {
    fc.assert(
      fc.property(json, (value) => expect(readJson(writeJson(value) as string)).toEqual(asRead(value))),
    );
  });

  test("it is read as JSON.parse reads it, but for long integers", () => {
    const texts = fc
      .json()
      .map((text) => (text.length % 2 ? text : `[${text},0.12345678901234567,1.5e-300,"\\"1"]`));
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(!/(?<![\d.])-?[1-9]\d{15,}(?![\d.eE])/.test(text));
        expect(readJson(`[1234567890123456789,${text}]`)).toEqual(["1234567890123456789", JSON.parse(text)]);
      }),
    );
  });

  test("int64 members are bigints, exact in both directions", () => {
    fc.assert(
      fc.property(int64, int64, fc.string(), (id, categoryId, name) => {
        const text = writeJson([{ id, name, categoryId }]) as string;
        const shape = [{ id: "int64", categoryId: "int64" }] as const;
        expect(withInt64(readJson(text), shape)).toEqual([{ id, name, categoryId }]);
      }),
    );
  });

  test("digits in a string stay as they are", () => {
    for (const name of [
      "1234567890123456789",
      ", 1234567890123456789 ,",
      '\\"[1234567890123456789]\\"',
      'a":1234567890123456789,"b',
      "\\",
    ]) {
      const text = writeJson({ name, id: 1234567890123456789n, [name]: name }) as string;
      expect(readJson(text)).toEqual({ name, id: "1234567890123456789", [name]: name });
    }
  });

  test("invalid JSON is refused, with or without long integers", () => {
    for (const text of [
      "",
      "[01234567890123456789]",
      "[1234567890123456789",
      "{1234567890123456789:1}",
      '["1',
    ])
      expect(() => readJson(text)).toThrow(SyntaxError);
  });
});

test("a page without https, which lacks crypto.randomUUID, makes ids of the same form", () => {
  const { randomUUID } = crypto;
  Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
  try {
    const ids = Array.from({ length: 1000 }, randomId);
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  } finally {
    Object.defineProperty(crypto, "randomUUID", { value: randomUUID, configurable: true });
  }
  expect(randomId()).toMatch(/^[0-9a-f]{32}$/);
});

describe("Link", () => {
  const cases: [string | null, string | undefined][] = [
    [null, undefined],
    ["", undefined],
    ['</a?b=1&c=2>; rel="next"', "/a?b=1&c=2"],
    ["</a>; rel=next", "/a"],
    ['</a>; REL="prev Next last"', "/a"],
    ['</a>; rel="prev", </b>; title="a, <c>; rel=\\"x\\""; rel="next"', "/b"],
    ['</a>;rel="next";x="y",</b>;rel="next"', "/a"],
    ['</a>; rel="nextish", </b>; rel=prev', undefined],
    ['</a,b;c>; rel="next"', "/a,b;c"],
  ];
  for (const [header, target] of cases) {
    test(JSON.stringify(header), () => expect(linkTo("next", header)).toBe(target));
  }
});

test("a long Link costs no more than its length", () => {
  // If each link were searched to the end of the header, this would not end.
  for (const part of ["<", "<a>", '<a>\\"', '";', "; a="]) {
    expect(linkTo("next", `"${part.repeat(300_000)}`)).toBeUndefined();
  }
});

describe("waits", () => {
  const UNBOUNDED = Number.POSITIVE_INFINITY;

  test("back-off doubles up to five seconds, with full jitter, and ends within the time that is left", () => {
    const longest = (retry: number, left = UNBOUNDED) => retryDelay(retry, undefined, 1, left);
    expect([0, 1, 2, 4, 9, 1000].map((retry) => longest(retry))).toEqual([200, 400, 800, 3200, 5000, 5000]);
    expect(retryDelay(9, undefined, 0, UNBOUNDED)).toBe(0);
    expect(longest(9, 1300)).toBe(1300);
  });

  test("a pause is never shorter than Retry-After", () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.nat(100_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(100_000),
        (retry, asked, random, left) => {
          expect(retryDelay(retry, asked, random, left)).toBeGreaterThanOrEqual(asked);
          expect(retryDelay(retry, asked, random, left)).toBeLessThanOrEqual(asked + 5000);
        },
      ),
    );
  });

  test("a turn that comes to a request as it is cancelled goes to the next", () => {
    const turns = new Turns();
    while (turns.take());
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    for (const { signal } of [first, second, third]) turns.wait(signal);
    second.abort();
    // The first has its turn, but does not know it yet.
    turns.end();
    first.abort();
    expect(turns.take()).toBe(false);
    third.abort();
    expect([turns.take(), turns.take()]).toEqual([true, false]);
  });

  test("all calls share a budget of retries: past it each waits for its turn, and a success gives one back", () => {
    const budget = new RetryBudget();
    const take = (count: number, now: number) => Array.from({ length: count }, () => budget.take(now));
    expect(take(100, 5000)).toEqual(Array(100).fill(0));
    expect(take(3, 5000)).toEqual([20, 40, 60]);
    budget.giveBack();
    expect(take(1, 5000)).toEqual([60]);
    // After a second, 50 more.
    expect(take(48, 6000).at(-1)).toBe(20);
    expect(take(101, 60_000).at(-1)).toBe(20);
  });

  test("Retry-After may be seconds or a date", () => {
    const now = Date.parse("2026-11-22T00:00:00Z");
    expect(retryAfterMs("", now)).toBeUndefined();
    expect(retryAfterMs("7", now)).toBe(7000);
    expect(retryAfterMs("Sun, 22 Nov 2026 00:00:09 GMT", now)).toBe(9000);
    expect(retryAfterMs("Sat, 21 Nov 2026 00:00:09 GMT", now)).toBe(0);
    expect(retryAfterMs("soon", now)).toBeUndefined();
  });
});

describe("times", () => {
  test("a time that was over before it began ends at once: its work does not begin, and no runtime warns", async () => {
    const warnings: unknown[] = [];
    const note = (warning: unknown) => void warnings.push(warning);
    process.on("warning", note);
    const late = new Error("late");
    let begun = 0;
    for (const ms of [0, -5]) {
      const work = async () => void begun++;
      const outcome = within(ms, undefined, () => late, work).catch((error) => error);
      expect(await outcome).toBe(late);
    }
    // A runtime warns in a later turn.
    await Bun.sleep(5);
    process.off("warning", note);
    expect([begun, warnings]).toEqual([0, []]);
  });

  test("a pause ends after its time, and sooner with the reason of the signal that aborts", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const pause = sleep(60_000, controller.signal).catch((error) => error);
    controller.abort(reason);
    expect(await pause).toBe(reason);
    expect(await sleep(1, undefined)).toBeUndefined();
  });
});
