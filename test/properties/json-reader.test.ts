import { describe, expect, test } from "bun:test";
import fc, { type Arbitrary } from "fast-check";
import { int64FromJsonNumber } from "../../src/domain/int64.ts";
import { JsonError, readJson } from "../../src/domain/json-reader.ts";
import { anyText, jsonText, memberName, numberText, spelledString } from "./json-texts.ts";

describe("agrees with JSON.parse", () => {
  test("on valid JSON, but keeps int64 exact", () => {
    fc.assert(
      fc.property(jsonText, (text) => expectSame(text)),
      { numRuns: 2500 },
    );
  });

  test("on single strings and numbers", () => {
    fc.assert(
      fc.property(fc.oneof(anyText.chain(spelledString), numberText), (text) => expectSame(text)),
      { numRuns: 5000 },
    );
  });

  test("on valid JSON with a few random changes, most of which break it", () => {
    fc.assert(fc.property(mutated(jsonText), agrees), { numRuns: 6000 });
  });

  test("on words of JSON in any order", () => {
    const words = [
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"a"',
      '"',
      "\\",
      "1",
      "-",
      ".",
      "e",
      "0",
      "true",
      "nul",
      " ",
      "\n",
    ];
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...words), maxLength: 8 }), agrees), {
      numRuns: 10_000,
    });
  });

  test("on any text at all", () => {
    fc.assert(fc.property(fc.oneof(anyText, fc.string({ unit: "binary" })), agrees), { numRuns: 2000 });
  });
});

describe("a member that appears twice", () => {
  const twice = fc
    .tuple(memberName, jsonText, jsonText)
    .chain(([name, one, other]) =>
      fc.tuple(spelledString(name), spelledString(name), fc.constant(one), fc.constant(other)),
    )
    .chain(([first, second, one, other]) => {
      const between = fc.constantFrom("", '"between":0,');
      return between.map((text) => `{${first}:${one},${text}${second}:${other}}`);
    });

  test("is refused in whatever two ways its name is written", () => {
    fc.assert(fc.property(twice, refusedAsTwice), { numRuns: 1500 });
  });

  test("is refused at any depth", () => {
    const wrapped = fc
      .tuple(twice, fc.array(fc.constantFrom("[", '{"in":'), { maxLength: 50 }))
      .map(([text, opening]) => opening.join("") + text + closing(opening.join("")));
    fc.assert(fc.property(wrapped, refusedAsTwice), { numRuns: 1000 });
  });

  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"\\u0061":1,"a":2}',
    '{"\\u000A":1,"\\n":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"constructor":{},"constructor":{}}',
    '{"":1,"":2}',
    '[0,{"b":[{"a":1,"b":{"c":0,"c":0}}]}]',
  ]) {
    test(text, () => refusedAsTwice(text));
  }

  test("may appear in two objects, each of which is checked by itself", () => {
    expectSame('[{"a":1},{"a":{"a":2}}]');
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const object = readJson(`{"${name}":1}`) as Record<string, unknown>;
      expect(Object.entries(object)).toEqual([[name, 1n]]);
      expect(Object.getPrototypeOf(object)).toBeNull();
    }
  });
});

describe("nesting", () => {
  const brackets = (minimum: number, maximum: number) =>
    fc
      .array(fc.constantFrom("[", '{"a":', '{"b":0,"a":', "[0,"), { minLength: minimum, maxLength: maximum })
      .map((opening) => opening.join(""))
      .map((opening) => `${opening}0${closing(opening)}`);

  test("of 64 levels and less is read", () => {
    fc.assert(fc.property(brackets(0, 64), (text) => expectSame(text)));
    expect(() => readJson("[".repeat(64) + "]".repeat(64))).not.toThrow();
  });

  test("of 65 levels and more is refused", () => {
    const tooDeep = (text: string) => expect(() => readJson(text)).toThrow(/deeper than 64/);
    fc.assert(fc.property(brackets(65, 200), tooDeep));
    tooDeep("[".repeat(65) + "]".repeat(65));
    tooDeep("[".repeat(65_536));
    tooDeep('{"a":'.repeat(13_000));
  });

  test("is counted by open brackets, not by all that were opened", () => {
    const text = `[${"[[]],".repeat(100)}[]]`;
    expectSame(text);
  });
});

test("long and awkward texts are read or refused", () => {
  const size = 65_536;
  for (const text of [
    " ".repeat(size),
    "0".repeat(size),
    `"${"\\u0061".repeat(10_000)}"`,
    "-".repeat(size),
  ]) {
    agrees(text);
  }
  const members = Array.from({ length: 8000 }, (_, at) => `"${at}":0`).join(",");
  expectSame(`{${members}}`);
  refusedAsTwice(`{${members},"7999":0}`);
});

test("a refusal names the place of the fault", () => {
  const problem = (text: string) => {
    try {
      return readJson(text);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(problem('{"a":1 "b":2}')).toBe("is not valid JSON: a comma or `}` was expected (character 8)");
  expect(problem('{"a":1,')).toBe(
    "is not valid JSON: a member name in double quotes was expected before the body ended (character 8)",
  );
  expect(problem('{"a":1,"a":2}')).toBe("has two members named `a` in one object (character 8)");
  expect(problem('["\\x"]')).toBe("has a string with an invalid escape (character 2)");
  expect(problem("{}x")).toBe("is not valid JSON: the end of the body was expected (character 3)");
});

test("a byte order mark, which nobody sees, is named", () => {
  expect(() => readJson("\ufeff{}")).toThrow(
    "is not valid JSON: a value was expected, and not a byte order mark (character 1)",
  );
});

/** Holds the reader to JSON.parse and to its own three rules, on any text. */
function agrees(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    expect(() => readJson(text)).toThrow(JsonError);
    return;
  }
  if (depthOf(text) > 64 || namesIn(text) !== membersOf(value))
    expect(() => readJson(text)).toThrow(JsonError);
  else expectSame(text);
}

function refusedAsTwice(text: string): void {
  expect(() => JSON.parse(text)).not.toThrow();
  expect(() => readJson(text)).toThrow(/^has two members named .* in one object/s);
}

/** Holds what is read of a valid text to what JSON.parse reads, with the int64s that its numbers spell. */
function expectSame(text: string): void {
  const exact = (_name: string, value: unknown, context: { source: string }) =>
    typeof value === "number" ? (int64FromJsonNumber(context.source) ?? value) : value;
  expect(isSame(readJson(text), JSON.parse(text, exact as (name: string, value: unknown) => unknown))).toBe(
    true,
  );
}

/** Deep equality of what JSON can be, with no mercy for -0, prototypes or inherited members. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return Object.is(one, other);
  }
  const [members, others] = [Object.entries(one), Object.entries(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    members.length === others.length &&
    members.every(([name, member], at) => name === others[at]?.[0] && isSame(member, others[at]?.[1]))
  );
}

/** How deep a valid text is nested, by its brackets. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const bracket of text.replace(STRING, "").match(/[[{\]}]/g) ?? []) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** How many member names a valid text holds. */
function namesIn(text: string): number {
  return [...text.matchAll(STRING)].filter(([, colon]) => colon !== undefined).length;
}

/** How many members are left of them: fewer, where a name stood twice. */
function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, member) => sum + membersOf(member), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}

/** What closes a row of opening brackets. */
function closing(opening: string): string {
  const brackets = opening.match(/[[{]/g) ?? [];
  return brackets
    .map((bracket) => (bracket === "[" ? "]" : "}"))
    .reverse()
    .join("");
}

/** A text with a few characters taken out, put in, replaced, doubled or moved. */
function mutated(texts: Arbitrary<string>): Arbitrary<string> {
  const character = fc.oneof(
    fc.constantFrom(...'{}[]:,"\\ue0123456789+-.Etrfalsn \n\t\0\ufeff\u00a0\u2028'),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  );
  const change = fc.record({
    at: fc.nat(),
    taken: fc.nat(3),
    put: fc.array(character, { maxLength: 2 }),
    double: fc.boolean(),
  });
  return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((changed, { at, taken, put, double }) => {
      const start = at % (changed.length + 1);
      const cut = changed.slice(start, start + taken);
      return changed.slice(0, start) + (double ? cut + cut : put.join("")) + changed.slice(start + taken);
    }, text),
  );
}
