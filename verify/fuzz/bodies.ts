import { OPTIONAL_TEXTS, STATUSES } from "../../contract/animal.ts";
import type { Random } from "../random.ts";
import { int64, name, someTexts, writeInteger, writeString } from "./values.ts";

/** JSON values that are not int64. */
const NO_INTEGERS = (
  "9223372036854775808 -9223372036854775809 18446744073709551616 1e19 1e400 -1e999999999999 1e-1 0.5 " +
  "1.00000000000000000001 9223372036854775807.5 922337203685477580.75e1 1e-999999999999 " +
  '"12" true null [1] {}'
).split(" ");
/** Int64 values that do not look like integers. */
const ODD_INTEGERS = "-0 0.000 0e999999999999 -0.0E-99 10e-1 1e18 9.223372036854775807e18".split(" ");
/** Texts that some readers accept as numbers. */
const NO_NUMBERS = "01 +1 .5 1. 0x10 NaN Infinity 1_000 1e - \u0661 1n --1".split(" ");
const NO_NAMES = ["null", "1", "[]", "{}", "true", '""', '" "', '"\\u0000"', '"\\ud83d"'];
const NO_STATUSES = ["null", '"Available"', '"SOLD"', '""', '" sold"', '"gone"', "1", "[]", "{}", "true"];
const NO_OBJECTS = ["null", "1", '"a"', "[]", "{}", "true", " ", "\ufeff{}", "{}x", "{'a':1}"];
/** Bytes that mean something to JSON, UTF-8 or HTTP, as Latin-1. */
const TELLING = '" \\ { } [ , : \0 \r\n \n \xff \xc0\x80 \xed\xa0\x80 \xf5 \xef\xbb\xbf \t % - e9 \\u0000'
  .split(" ")
  .concat(" ");

type Members = [name: string, value: string][];

/** The members of a valid body, as texts. */
function members(random: Random): Members {
  const written: Members = [
    ["name", writeString(name(random), random)],
    ["categoryId", random.chance(0.1) ? random.pick(ODD_INTEGERS) : writeInteger(int64(random), random)],
  ];
  if (random.chance(0.6)) written.push(["status", writeString(random.pick(STATUSES), random)]);
  for (const [name, value] of Object.entries(someTexts(OPTIONAL_TEXTS, random)))
    written.push([name, writeString(value, random)]);
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
    [2, () => put("name", random.pick(NO_NAMES))],
    ...OPTIONAL_TEXTS.map(
      ([member, { refused }]) => [2, () => put(member, random.pick(refused))] as [number, () => Members],
    ),
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
    [1, () => Buffer.from(random.pick(NO_OBJECTS))],
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
