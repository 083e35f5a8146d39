import { type Content, INT64_MAX, INT64_MIN, OPTIONAL_TEXTS } from "../../contract/animal.ts";
import { type OptionalTexts, textsOf } from "../../contract/optional-text.ts";
import type { Random } from "../random.ts";

/** White space by Unicode, and characters that only look like it. */
const SPACES = [
  ..." \t\n\r\v\f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u180e\u2060",
];
const LETTERS = [..."aZ0é\u0301ßİ中🐢👩‍👩‍👧\u202e\ufffd\uffff\u{10ffff}\u007f\u0001'\"\\/<&%;--"];

const NAMES_OF_CODE = ["__proto__", "constructor", "toString", "null", "{}", "'; DROP TABLE animal; --"];

/** A random name, mostly valid, else nearly valid. */
export function name(random: Random): string {
  const letters = (length: number) => Array.from({ length }, () => random.pick(LETTERS)).join("");
  return random.weighted<() => string>([
    [10, () => letters(random.between(1, 12))],
    [2, () => random.pick(NAMES_OF_CODE)],
    [3, () => Array.from({ length: random.between(1, 12) }, () => anyCharacter(random)).join("")],
    [2, () => random.pick(SPACES) + letters(2) + random.pick(SPACES)],
    [1, () => Array.from({ length: random.between(0, 5) }, () => random.pick(SPACES)).join("")],
    // Around the limit, counted in code points.
    [2, () => random.pick(["a", "é", "中", "🐢"]).repeat(random.between(253, 257))],
    [1, () => `${letters(3)}\0${letters(1)}`],
    [1, () => letters(2) + random.pick(["\ud800", "\udfff", "\udc00\ud800"]) + letters(1)],
  ])();
}

/** Any of Unicode's code points but U+0000 and the surrogates. */
function anyCharacter(random: Random): string {
  const codePoint = random.between(1, 0x10ffff - 0x800);
  return String.fromCodePoint(codePoint < 0xd800 ? codePoint : codePoint + 0x800);
}

/** Writes a string as JSON, with each character plain or in one of its escaped forms. */
export function writeString(text: string, random: Random): string {
  const escapes = random.pick([0, 0, 0.1, 1]);
  let written = '"';
  for (const unit of text) {
    const mustEscape = unit < " " || unit === '"' || unit === "\\" || !unit.isWellFormed();
    written += mustEscape || random.chance(escapes) ? escaped(unit, random) : unit;
  }
  return `${written}"`;
}

function escaped(character: string, random: Random): string {
  const short = '"\\/\b\f\n\r\t'.indexOf(character);
  if (short >= 0 && random.chance(0.5)) return `\\${'"\\/bfnrt'[short]}`;
  return character
    .split("")
    .map((unit) => {
      const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${random.chance(0.5) ? digits : digits.toUpperCase()}`;
    })
    .join("");
}

/** Writes an int64 in one of the forms that JSON allows. */
export function writeInteger(value: bigint, random: Random): string {
  const plain = value.toString();
  const sign = value < 0n ? "-" : "";
  const digits = plain.slice(sign.length);
  return random.weighted<() => string>([
    [10, () => plain],
    [1, () => `${plain}.${"0".repeat(random.between(1, 5))}`],
    [1, () => `${plain}${random.pick(["e0", "E0", "e+0", "E-0", "e000"])}`],
    [1, () => shifted(3)],
    [1, () => `${sign}0.${digits}e${digits.length}`],
    [1, () => `${sign}${digits[0]}.${digits.slice(1) || "0"}E+${digits.length - 1}`],
    [1, () => `${plain}.${"0".repeat(200)}`],
    [1, () => shifted(400)],
  ])();

  /** The integer followed by zeros, which the exponent takes away again. JSON has no leading zeros, so 0 gets none. */
  function shifted(zeros: number): string {
    return `${value === 0n ? "0" : plain + "0".repeat(zeros)}e-${zeros}`;
  }
}

/** A random int64, often at an end of its range or of the integers that a double holds. */
export function int64(random: Random): bigint {
  return random.weighted<() => bigint>([
    [6, () => BigInt(random.between(-10, 1000))],
    [1, () => INT64_MAX - BigInt(random.below(3))],
    [1, () => INT64_MIN + BigInt(random.below(3))],
    [1, () => BigInt.asIntN(64, random.bytes(8).readBigInt64BE())],
    [1, () => 2n ** 53n + BigInt(random.between(-2, 2))],
  ])();
}

/** Some of the members that an item may lack. */
export function someTexts(texts: OptionalTexts, random: Random): Readonly<Record<string, string>> {
  const some = texts.filter(() => random.chance(0.5));
  return Object.fromEntries(some.map(([member, { accepted }]) => [member, random.pick(accepted)]));
}

/** Writes the body of a create, in one of the forms that JSON allows. */
export function writeAnimal(content: Content, random: Random): string {
  const { name, categoryId, status } = content;
  const members = [`"name":${writeString(name, random)}`, `"categoryId":${writeInteger(categoryId, random)}`];
  members.push(
    ...textsOf(OPTIONAL_TEXTS, content).map(([member, value]) => `"${member}":${writeString(value, random)}`),
  );
  if (status !== "available" || random.chance(0.5)) members.push(`"status":${writeString(status, random)}`);
  if (random.chance(0.5)) members.reverse();
  return `{${members.join(", ")}}`;
}
