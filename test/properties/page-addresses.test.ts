import { expect, test } from "bun:test";
import fc from "fast-check";
import { queryOf } from "../../src/operations/list-parameters.ts";

test("the query of a page's address gives back every value that is set, and no other", () => {
  const value = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("available", "a b", "a&b", "a=b", "a+b", "%20", "#", "ö"),
    fc.bigInt(),
    fc.constant(undefined),
  );
  fc.assert(
    fc.property(value, value, value, (status, name, cursor) => {
      const set = Object.entries({ status, name, cursor }).filter(([, value]) => value !== undefined);
      const expected = set.map(([name, value]): [string, string] => [name, `${value}`]);
      expect([...new URLSearchParams(queryOf({ status, name, cursor }))]).toEqual(expected);
    }),
  );
});
