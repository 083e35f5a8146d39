import { expect, test } from "bun:test";
import fc from "fast-check";
import { entityTag, matchesTag } from "../../src/operations/entity-tag.ts";

/** Reads `1#entity-tag` character by character; `undefined` where the text is not of that form. */
function readList(text: string): string[] | undefined {
  const tags: string[] = [];
  let at = 0;
  const skip = (characters: string) => {
    while (at < text.length && characters.includes(text[at] as string)) at++;
  };
  for (;;) {
    skip(" \t,");
    if (at === text.length) return tags.length > 0 ? tags : undefined;
    if (text.startsWith("W/", at)) at += 2;
    if (text[at] !== '"') return undefined;
    const start = at++;
    while (text[at] !== '"') {
      const code = text.charCodeAt(at++);
      // Also at the end, where the code is NaN.
      if (!(code === 0x21 || (code >= 0x23 && code <= 0x7e) || (code >= 0x80 && code <= 0xff)))
        return undefined;
    }
    tags.push(text.slice(start, ++at));
    skip(" \t");
    if (at < text.length && text[at] !== ",") return undefined;
  }
}

const TAG = '"n4bQ"';
const inner = fc.string({ unit: fc.constantFrom(..."!,#W/*\\~\x80ÿab"), maxLength: 4 });
const tag = fc.oneof(
  fc.constant(TAG),
  fc.constant(`W/${TAG}`),
  inner.map((text) => `"${text}"`),
  inner.map((text) => `"${text}${TAG.slice(1, -1)}${text}"`),
);
const separator = fc.stringMatching(/^[ \t]{0,2},[ \t,]{0,3}$/);
const list = fc
  .array(fc.tuple(tag, separator), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.flat().join(""))
  .chain((text) => fc.constantFrom(text, text.replace(/[ \t,]+$/, "")));
const rubbish = fc
  .array(fc.oneof(tag, fc.constantFrom(" ", ",", '"', "W/", "w/", "*", "n4bQ", "\x7f", "=")), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

test("a list names exactly the tags that stand in it", () => {
  fc.assert(
    fc.property(list, (text) => {
      const tags = readList(text);
      expect(tags).toBeDefined();
      expect(matchesTag(text, TAG)).toBe(tags?.includes(TAG) ?? false);
    }),
    { numRuns: 2000 },
  );
});

test("a malformed list names no tags", () => {
  fc.assert(
    fc.property(rubbish, (text) => {
      const named = text.trim() === "*" || (readList(text)?.includes(TAG) ?? false);
      expect(matchesTag(text, TAG)).toBe(named);
    }),
    { numRuns: 5000 },
  );
});

test("a long condition costs no more than its length", () => {
  // If the reader tried the parts in every combination, this would not end.
  for (const part of [",", " ", '"a" ', '"a",', ', "', "W/"]) {
    expect(matchesTag(`${part.repeat(20_000)}!`, TAG)).toBe(false);
  }
});

test("different content has a different ETag", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(entityTag(one) === entityTag(other)).toBe(one === other);
      expect(readList(entityTag(one))).toEqual([entityTag(one)]);
    }),
  );
});
