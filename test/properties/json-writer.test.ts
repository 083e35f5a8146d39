import { expect, test } from "bun:test";
import fc, { type Arbitrary } from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import { readJson } from "../../src/domain/json-reader.ts";
import { writeJson } from "../../src/domain/json-writer.ts";
import { layOutJson } from "../../src/http/response/json-layout.ts";
import { anyText, memberName } from "./json-texts.ts";

/** What `readJson` can give: whole numbers are bigints, all others are not whole, or past int64. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.bigInt(INT64_MIN, INT64_MAX),
      fc.constantFrom<unknown>(INT64_MIN, INT64_MAX, 2n ** 53n + 1n, true, false, null),
      fc.double({ noDefaultInfinity: true, noNaN: true }).filter((double) => !isInt64(double)),
      anyText,
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(memberName, tie("value")), { maxLength: 4 }).map(objectOf),
  ),
}));
const values: Arbitrary<unknown> = value;

test("written values are read back unchanged", () => {
  fc.assert(
    fc.property(values, (value) => expect(readJson(writeJson(value)) as unknown).toStrictEqual(value)),
    { numRuns: 5000 },
  );
});

test("without bigints it is what JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => expect(writeJson(value)).toBe(JSON.stringify(value))),
    { numRuns: 2000 },
  );
});

test("indented output has the same content", () => {
  fc.assert(
    fc.property(values, (value) => expect(readJson(layOutJson(value)) as unknown).toStrictEqual(value)),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => expect(layOutJson(value)).toBe(JSON.stringify(value, null, 2))),
    { numRuns: 1000 },
  );
});

test("a member that is undefined is left out", () => {
  expect(writeJson({ a: undefined, b: 1n, c: undefined })).toBe('{"b":1}');
  expect(layOutJson({ a: undefined })).toBe("{}");
});

function isInt64(double: number): boolean {
  return Number.isInteger(double) && double >= Number(INT64_MIN) && double < Number(INT64_MAX);
}

/** As the reader makes objects: with no prototype. */
function objectOf(members: readonly (readonly [string, unknown])[]): unknown {
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, member] of members) object[name] = member;
  return object;
}
