import fc, { type Arbitrary } from "fast-check";

// JSON as it may be written: every spelling of RFC 8259 of the same value.

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "/": "\\/",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

type Spelling = "bare" | "short" | "lower" | "upper";

/** A character; half of one, an unpaired surrogate, is always escaped, since UTF-8 could not carry it. */
function spellCharacter(character: string, spelling: Spelling): string {
  const mayBeBare = character >= " " && character !== '"' && character !== "\\" && character.isWellFormed();
  if (spelling === "bare" && mayBeBare) return character;
  const short = SHORT_ESCAPES[character];
  if (spelling === "short" && short !== undefined) return short;
  const escapes = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return escapes.map((hex) => `\\u${spelling === "upper" ? hex.toUpperCase() : hex}`).join("");
}

/** A text as a JSON string: each character bare where it may be, or escaped in one of the ways there are. */
export function spelledString(text: string): Arbitrary<string> {
  const characters = [...text];
  const spelling = fc.constantFrom<Spelling>("bare", "short", "lower", "upper");
  return fc
    .array(spelling, { minLength: characters.length, maxLength: characters.length })
    .map((spellings) => characters.map((character, at) => spellCharacter(character, spellings[at] ?? "bare")))
    .map((spelled) => `"${spelled.join("")}"`);
}

/** An integer as a JSON number: with any exponent, its point anywhere, and zeros that mean nothing. */
export function spelledInteger(value: bigint): Arbitrary<string> {
  return fc
    .record({
      trailing: fc.nat(30),
      point: fc.nat(50),
      e: fc.constantFrom("e", "E"),
      plus: fc.constantFrom("", "+"),
      exponentZeros: fc.nat(3),
      noExponent: fc.boolean(),
    })
    .map(({ trailing, point, e, plus, exponentZeros, noExponent }) => {
      const sign = value < 0n ? "-" : "";
      const digits = (value < 0n ? -value : value).toString() + "0".repeat(trailing);
      // Where there is to be no exponent, the point stands where the zeros begin.
      const fractionLength = noExponent ? trailing : point;
      const padded = digits.padStart(fractionLength + 1, "0");
      const whole = padded.slice(0, padded.length - fractionLength).replace(/^0+(?=.)/, "");
      const fraction = padded.slice(padded.length - fractionLength);
      const power = fractionLength - trailing;
      const exponent = `${e}${power < 0 ? "-" : plus}${"0".repeat(exponentZeros)}${Math.abs(power)}`;
      return `${sign}${whole}${fraction && `.${fraction}`}${noExponent ? "" : exponent}`;
    });
}

/** A JSON number of any size and kind. */
export const numberText = fc.oneof(
  fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,24})(?:\.[0-9]{1,24})?(?:[eE][+-]?[0-9]{1,3})?$/),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
);

/** A text of any UTF-16 units, of those too that make no character. */
export const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom('"', "\\", "/", "\b", "\n", "\0", "\ud800", "\udc00", "é", "\u2028", "😀"),
  ),
  maxLength: 12,
});

/** A member name, often of a member that every object of JavaScript has. */
export const memberName = fc.oneof(
  fc.constantFrom("a", "b", "", "__proto__", "constructor", "toString", "hasOwnProperty", "0", "10"),
  anyText,
);

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      space,
      fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.oneof(numberText, anyText.chain(spelledString), fc.constantFrom("true", "false", "null")),
        fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
        fc
          .uniqueArray(fc.tuple(memberName, tie("value")), { selector: ([name]) => name, maxLength: 4 })
          .chain((members) =>
            fc.tuple(
              ...members.map(([name, member]) =>
                fc
                  .tuple(spelledString(name), space)
                  .map(([spelled, gap]) => `${gap}${spelled}${gap}:${member}`),
              ),
            ),
          )
          .map((members) => `{${members.join(",")}}`),
      ),
      space,
    )
    .map((parts) => parts.join("")),
}));

/** Valid JSON, spelled in any way, whose objects name no member twice. */
export const jsonText: Arbitrary<string> = value;
