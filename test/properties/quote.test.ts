import { expect, test } from "bun:test";
import fc from "fast-check";
import { quote } from "../../src/domain/quote.ts";

for (const [text, quoted] of [
  ["42", "`42`"],
  ["", "``"],
  ['"', '`"`'],
  ["Ünï 😀", "`Ünï 😀`"],
  ["a\nb\0\u001b[31m", "`a\\u000ab\\u0000\\u001b[31m`"],
  // A right-to-left override would turn the rest of the message round; a surrogate alone is no text.
  ["a\u202eb\ud800", "`a\\u202eb\\ud800`"],
  ["a".repeat(100), `\`${"a".repeat(100)}\``],
  ["a".repeat(101), `\`${"a".repeat(100)}…\``],
  // Characters are counted, so none is cut in two.
  ["😀".repeat(100), `\`${"😀".repeat(100)}\``],
  ["😀".repeat(101), `\`${"😀".repeat(100)}…\``],
] as const) {
  test(`${JSON.stringify(text.slice(0, 12))} of ${text.length} is quoted`, () => {
    expect(quote(text)).toBe(quoted);
  });
}

test("whatever a client sends, the message stays one line of bounded length that can be shown", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 700, size: "max" }), (text) => {
      const quoted = quote(text);
      expect(quoted.isWellFormed()).toBe(true);
      expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(quoted.length).toBeLessThanOrEqual(100 * 12 + 3);
    }),
  );
});
