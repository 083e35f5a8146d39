import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN, int64FromJsonNumber, parsePositiveInt64 } from "../../src/domain/int64.ts";
import { startService } from "../support/service.ts";
import { numberText, spelledInteger } from "./json-texts.ts";

const EDGES = [
  INT64_MIN,
  INT64_MIN + 1n,
  -(2n ** 53n) - 1n,
  -10n,
  -1n,
  0n,
  1n,
  10n,
  2n ** 53n + 1n,
  INT64_MAX,
];
const int64 = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.bigInt(INT64_MIN, INT64_MAX),
  fc.nat(18).map((zeros) => 10n ** BigInt(zeros)),
);
const beyond = fc.oneof(
  fc.bigInt(INT64_MAX + 1n, INT64_MAX + 1000n),
  fc.bigInt(INT64_MIN - 1000n, INT64_MIN - 1n),
  fc.bigInt(2n ** 64n, 2n ** 200n),
  fc.bigInt(-(2n ** 200n), -(2n ** 64n)),
);

describe("int64FromJsonNumber", () => {
  test("reads an int64 however it is written", () => {
    const spelled = int64.chain((value) => fc.tuple(fc.constant(value), spelledInteger(value)));
    fc.assert(
      fc.property(spelled, ([value, text]) => expect(int64FromJsonNumber(text)).toBe(value)),
      { numRuns: 5000 },
    );
  });

  test("refuses an integer that int64 cannot hold, however it is written", () => {
    fc.assert(
      fc.property(beyond.chain(spelledInteger), (text) => expect(int64FromJsonNumber(text)).toBeUndefined()),
      { numRuns: 3000 },
    );
  });

  test("agrees with exact arithmetic on every JSON number", () => {
    fc.assert(
      fc.property(numberText, (text) => expect(int64FromJsonNumber(text)).toBe(exactInt64(text))),
      { numRuns: 10_000 },
    );
  });

  const zeros = "0".repeat(30_000);
  const nines = "9".repeat(30_000);
  const spellings: Record<string, bigint | undefined> = {
    "1.0": 1n,
    "1e2": 100n,
    "10e-1": 1n,
    "1E+2": 100n,
    "-0": 0n,
    "-0.0e-0": 0n,
    "0e99999999999999999999": 0n,
    [`0.${zeros}e-${nines}`]: 0n,
    [`1${zeros}e-30000`]: 1n,
    [`1.${zeros}`]: 1n,
    [`0.${zeros}1e30001`]: 1n,
    [`1e${zeros}2`]: 100n,
    [`0.${zeros}1e30000`]: undefined,
    "9223372036854775807": INT64_MAX,
    "9223372036854775807.0": INT64_MAX,
    "922337203685477580.7e1": INT64_MAX,
    "9223372036854775807.1": undefined,
    "9223372036854775808": undefined,
    "-9223372036854775808": INT64_MIN,
    "-9223372036854775809": undefined,
    "0.5": undefined,
    "1e-1": undefined,
    "1e19": undefined,
    "1e18": 10n ** 18n,
    "1e999999999": undefined,
    "1e-999999999": undefined,
    "1e99999999999999999999": undefined,
    [`1e${nines}`]: undefined,
    [`1e-${nines}`]: undefined,
    [`1${zeros}`]: undefined,
    [nines]: undefined,
  };
  for (const [text, value] of Object.entries(spellings)) {
    const shown = text.length > 40 ? `${text.slice(0, 12)}… (${text.length} characters)` : text;
    test(`${shown} is ${value ?? "no int64"}`, () => expect(int64FromJsonNumber(text)).toBe(value));
  }
});

test("parsePositiveInt64 takes plain decimal and nothing else", () => {
  const doubtful = fc.string({ unit: fc.constantFrom(..."0123456789+-._eEx \n١９"), maxLength: 21 });
  fc.assert(
    fc.property(fc.oneof(int64.map(String), beyond.map(String), doubtful), (text) => {
      const isPlain =
        [...text].every((digit) => "0123456789".includes(digit)) && text !== "" && text[0] !== "0";
      const expected = isPlain && BigInt(text) <= INT64_MAX ? BigInt(text) : undefined;
      expect(parsePositiveInt64(text)).toBe(expected);
    }),
    { numRuns: 5000 },
  );
});

test("an int64 is exact through the service: body, store, answers", async () => {
  await using service = await startService();
  const spelled = int64.chain((value) => fc.tuple(fc.constant(value), spelledInteger(value)));
  await fc.assert(
    fc.asyncProperty(spelled, async ([value, text]) => {
      const created = await service.create(`{"name":"Rex","categoryId":${text}}`);
      const body = await created.text();
      expect(body).toContain(`"categoryId":${value},`);
      const path = created.headers.get("location") ?? "";
      expect(await (await service.call(path)).text()).toBe(body);
    }),
    { numRuns: 100 },
  );
});

/** The integer that a JSON number is, by arithmetic that never rounds; `undefined` outside int64. */
function exactInt64(text: string): bigint | undefined {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const power = Number(exponent) - fraction.length;
  const numerator = BigInt(whole + fraction) * 10n ** BigInt(Math.max(power, 0));
  const denominator = 10n ** BigInt(Math.max(-power, 0));
  if (numerator % denominator !== 0n) return undefined;
  const value = numerator / denominator;
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}
