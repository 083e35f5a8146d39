import { INT64_MAX, INT64_MIN, STATUSES } from "../animal.ts";
import type { Random } from "../random.ts";

/** White space by Unicode, and characters that only look like it. */
const SPACES = [
  ..." \t\n\r\v\f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u180e\u2060",
];
const LETTERS = [..."aZ0é\u0301ßİ中🐢👩‍👩‍👧\u202e\ufffd\uffff\u{10ffff}\u007f\u0001'\"\\/<&%;--"];

/** A random name, mostly valid, else nearly valid. */
export function name(random: Random): string {
  const letters = (length: number) => Array.from({ length }, () => random.pick(LETTERS)).join("");
  return random.weighted<() => string>([
    [10, () => letters(random.between(1, 12))],
    [
      2,
      () => random.pick(["__proto__", "constructor", "toString", "null", "{}", "'; DROP TABLE animal; --"]),
    ],
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
  const short = {
    '"': '\\"',
    "\\": "\\\\",
    "/": "\\/",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
  };
  if (character in short && random.chance(0.5)) return short[character as keyof typeof short];
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

export function int64(random: Random): bigint {
  return random.weighted<() => bigint>([
    [6, () => BigInt(random.between(-10, 1000))],
    [1, () => INT64_MAX - BigInt(random.below(3))],
    [1, () => INT64_MIN + BigInt(random.below(3))],
    [1, () => BigInt.asIntN(64, random.bytes(8).readBigInt64BE())],
    [1, () => 2n ** 53n + BigInt(random.between(-2, 2))],
  ])();
}

/** JSON values that are not int64. */
const NO_INTEGERS = [
  "9223372036854775808",
  "-9223372036854775809",
  "18446744073709551616",
  "1e19",
  "1e400",
  "-1e999999999999",
  "1e-1",
  "0.5",
  "1.00000000000000000001",
  "9223372036854775807.5",
  "922337203685477580.75e1",
  "1e-999999999999",
  '"12"',
  "true",
  "null",
  "[1]",
  "{}",
];
/** Int64 values that do not look like integers. */
const ODD_INTEGERS = [
  "-0",
  "0.000",
  "0e999999999999",
  "-0.0E-99",
  "10e-1",
  "1e18",
  "9.223372036854775807e18",
];
/** Texts that some readers accept as numbers. */
const NO_NUMBERS = ["01", "+1", ".5", "1.", "0x10", "NaN", "Infinity", "1_000", "1e", "-", "١", "1n", "--1"];
const NO_STATUSES = ["null", '"Available"', '"SOLD"', '""', '" sold"', '"gone"', "1", "[]", "{}", "true"];

type Members = [name: string, value: string][];

/** The members of a valid body, as texts. */
function members(random: Random): Members {
  const written: Members = [
    ["name", writeString(name(random), random)],
    ["categoryId", random.chance(0.1) ? random.pick(ODD_INTEGERS) : writeInteger(int64(random), random)],
  ];
  if (random.chance(0.6)) written.push(["status", writeString(random.pick(STATUSES), random)]);
  while (random.chance(0.2)) {
    const extra = random.pick(["id", "Name", "tags", "__proto__", "constructor", "", "a b", "é"]);
    if (!written.some(([name]) => name === extra))
      written.push([extra, anything(random, random.between(0, 5))]);
  }
  return written;
}

function anything(random: Random, depth: number): string {
  if (depth === 0) return random.pick(["1", '"x"', "null", "false", "-1.5e300", "[]", "{}", '"\\ud800"']);
  return random.chance(0.5)
    ? `[${anything(random, depth - 1)},${anything(random, 0)}]`
    : `{"a":${anything(random, depth - 1)},"b":${anything(random, 0)}}`;
}

function write(members: Members, random: Random): string {
  const space = () => (random.chance(0.1) ? random.pick([" ", "\n", "\r\n\t", "   "]) : "");
  const shuffled = members.map((each) => [random.below(1000), each] as const).sort(([a], [b]) => a - b);
  const texts = shuffled.map(
    ([, [name, value]]) => `${space()}${writeString(name, random)}${space()}:${space()}${value}${space()}`,
  );
  return `${space()}{${texts.join(",") || space()}}${space()}`;
}

/** A JSON body that is valid, unless its name is not. */
export function plausible(random: Random): Buffer {
  return Buffer.from(write(members(random), random));
}

/** A JSON body with one mistake. */
export function nearly(random: Random): Buffer {
  const right = members(random);
  const put = (name: string, value: string): Members => [
    ...right.filter(([given]) => given !== name),
    [name, value],
  ];
  const wrong = random.weighted<() => Members>([
    [2, () => right.filter(([name]) => name !== random.pick(["name", "categoryId"]))],
    [4, () => put("categoryId", random.pick(NO_INTEGERS))],
    [2, () => put("categoryId", random.pick(NO_NUMBERS))],
    [2, () => put("status", random.pick(NO_STATUSES))],
    [
      2,
      () =>
        put("name", random.pick(["null", "1", "[]", "{}", "true", '""', '" "', '"\\u0000"', '"\\ud83d"'])),
    ],
    // A repeated member, also if only its escapes differ, also deep inside.
    [2, () => [...right, random.pick(right)]],
    [1, () => [...right, ["x", '{"a":1,"\\u0061":2}']]],
    [1, () => [...right, ["x", '[[{"":1,"":1}]]']]],
    // About as deep as allowed: the outer object is the first level.
    [1, () => [...right, ["deep", "[".repeat(63) + "]".repeat(63)]]],
    [1, () => [...right, ["deep", "[".repeat(64) + "]".repeat(64)]]],
    [1, () => [...right, ["deep", `${'{"a":'.repeat(random.between(60, 70))}1`]]],
  ])();
  return Buffer.from(write(wrong, random));
}

/** A body that is not remotely an animal. */
export function garbage(random: Random): Buffer {
  return random.weighted<() => Buffer>([
    [3, () => random.bytes(random.below(200))],
    [1, () => Buffer.alloc(0)],
    [1, () => Buffer.from("[".repeat(random.between(1, 60_000)))],
    [1, () => Buffer.from('{"a":'.repeat(random.between(1, 10_000)))],
    [
      1,
      () => Buffer.from(random.pick(["null", "1", '"a"', "[]", "{}", "true", " ", "﻿{}", "{}x", "{'a':1}"])),
    ],
    [1, () => Buffer.from(`{"name":"a","categoryId":${"9".repeat(random.between(1, 60_000))}}`)],
    [
      1,
      () =>
        Buffer.from(`{"name":"a","categoryId":1${"0".repeat(20_000)}e-${random.between(19_990, 20_001)}}`),
    ],
    [1, () => Buffer.from(`{"name":"a","categoryId":0.${"0".repeat(5000)}1e${random.between(4995, 5020)}}`)],
  ])();
}

/** A body of about the largest size, or larger. */
export function large(random: Random): Buffer {
  const text = write(members(random), random);
  const size = random.weighted<number>([
    [3, random.between(65_530, 65_542)],
    [1, random.between(65_537, 300_000)],
  ]);
  return Buffer.concat([Buffer.from(text), Buffer.alloc(Math.max(0, size - Buffer.byteLength(text)), " ")]);
}

/** Alters some bytes of a body. */
export function mutate(bytes: Uint8Array, random: Random): Buffer {
  let mutated = Buffer.from(bytes);
  for (let rounds = random.between(1, 4); rounds > 0; rounds--) {
    const at = random.below(mutated.length + 1);
    const length = random.below(Math.min(20, mutated.length - at + 1));
    const [before, slice, after] = [
      mutated.subarray(0, at),
      mutated.subarray(at, at + length),
      mutated.subarray(at + length),
    ];
    mutated = random.pick([
      () => Buffer.concat([before, slice, slice, after]),
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, random.bytes(random.between(1, 3)), slice, after]),
      () => Buffer.concat([before, Buffer.from(random.pick(TELLING), "latin1"), slice, after]),
      () => Buffer.concat([before, slice.map((byte) => byte ^ (1 << random.below(8))), after]),
      () => Buffer.from(before),
    ])();
  }
  return mutated;
}

/** Bytes that mean something to JSON, UTF-8 or HTTP. */
const TELLING = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  ",",
  ":",
  "\0",
  "\r\n",
  "\n",
  "\xff",
  "\xc0\x80",
  "\xed\xa0\x80",
  "\xf5",
  "\xef\xbb\xbf",
  " ",
  "\t",
  "%",
  "-",
  "e9",
  "\\u0000",
];
