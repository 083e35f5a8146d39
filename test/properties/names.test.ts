import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { STATUSES } from "../../src/domain/animal.ts";
import { newAnimalSchema, readNewAnimal } from "../../src/domain/animal-schemas.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import { startService } from "../support/service.ts";
import { spelledString } from "./json-texts.ts";

const WHITE_SPACE = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000";

const character = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.constantFrom(...WHITE_SPACE) },
  // Not White_Space, though it looks so: zero width space, byte order mark, hangul filler, braille blank.
  { weight: 2, arbitrary: fc.constantFrom("\u200b", "\ufeff", "\u3164", "\u2800", "\u180e") },
  { weight: 2, arbitrary: fc.constantFrom("a", "é", "e\u0301", "ß", "😀", "👩‍👩‍👧", "\u{10ffff}", "\ufffd") },
);
const spoiled = fc.oneof(character, fc.constantFrom("\0", "\ud800", "\udfff"));
const texts = fc.oneof(
  fc.string({ unit: character, maxLength: 8 }),
  fc.string({ unit: spoiled, maxLength: 4 }),
  fc.string({ unit: fc.constantFrom(...WHITE_SPACE), maxLength: 4 }),
  // Around the greatest length, counted in code points: in UTF-16 units it may be twice as long.
  fc.string({ unit: fc.constantFrom("a", "😀"), minLength: 250, maxLength: 258 }),
);

describe("a name", () => {
  test("must follow its rule, counted in code points", () => {
    fc.assert(
      fc.property(texts, (text) => expect(accepts(text)).toBe(isName(text))),
      { numRuns: 5000 },
    );
  });

  test("of one character: whatever is no White_Space, U+0000 or surrogate", () => {
    const disputed: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      const text = String.fromCodePoint(point);
      if (accepts(text) !== isName(text)) disputed.push(`U+${point.toString(16)}`);
    }
    expect(disputed).toEqual([]);
  });

  for (const [text, valid] of [
    ["a".repeat(255), true],
    ["a".repeat(256), false],
    ["😀".repeat(255), true],
    ["😀".repeat(256), false],
    [" ".repeat(254).concat("a"), true],
    [" ".repeat(255), false],
    ["", false],
  ] as const) {
    test(`${JSON.stringify([...text].slice(-1)[0] ?? "")} in a text of ${[...text].length}`, () => {
      expect(accepts(text)).toBe(valid);
    });
  }
});

test("a body is accepted exactly if the schema accepts it", () => {
  const odd = fc.constantFrom<unknown>(undefined, null, "", " ", 1, true, [], {}, "Available", "é");
  const bodies = fc.record(
    {
      name: fc.oneof({ weight: 3, arbitrary: texts }, fc.string(), odd),
      categoryId: fc.oneof({ weight: 3, arbitrary: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }) }, odd),
      status: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...STATUSES) }, odd),
      other: fc.string(),
    },
    { requiredKeys: [] },
  );
  let valid = 0;
  fc.assert(
    fc.property(bodies, (body) => {
      const read = readNewAnimal(body);
      expect(read).toEqual(newAnimalSchema.safeParse(body).data);
      if (read) valid++;
    }),
    { numRuns: 10_000 },
  );
  expect(valid).toBeGreaterThan(1000);
});

test("a name is stored and returned exactly, however it was written", async () => {
  await using service = await startService();
  const names = texts.filter(isName).chain((name) => fc.tuple(fc.constant(name), spelledString(name)));
  const store = async ([name, spelled]: [string, string]) => {
    const created = await service.create(`{"name":${spelled},"categoryId":1}`);
    expect(created.status).toBe(201);
    expect(((await created.json()) as { name: string }).name).toBe(name);
    const fetched = await service.call(created.headers.get("location") ?? "");
    expect(((await fetched.json()) as { name: string }).name).toBe(name);
  };
  // Several at once share a commit, which a busy disk makes slow.
  await fc.assert(
    fc.asyncProperty(fc.array(names, { minLength: 20, maxLength: 40 }), async (some) => {
      await Promise.all(some.map(store));
    }),
    { numRuns: 10 },
  );
});

test("an invalid name gets 400, however it is written", async () => {
  await using service = await startService();
  const others = texts.filter((text) => !isName(text)).chain(spelledString);
  await fc.assert(
    fc.asyncProperty(others, async (spelled) => {
      const { status } = await service.create(`{"name":${spelled},"categoryId":1}`);
      expect(status).toBe(400);
    }),
    { numRuns: 200 },
  );
});

function accepts(name: string): boolean {
  return newAnimalSchema.safeParse({ name, categoryId: 1n }).success;
}

/** The rule as decided, by the runtime's own Unicode tables. */
function isName(text: string): boolean {
  const points = [...text];
  return (
    points.length >= 1 &&
    points.length <= 255 &&
    points.some((point) => !/\p{White_Space}/u.test(point)) &&
    points.every((point) => point !== "\0" && !/\p{Surrogate}/u.test(point))
  );
}
