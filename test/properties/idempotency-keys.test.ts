import { expect, test } from "bun:test";
import fc from "fast-check";
import { digestOf, digestOfOrder, isIdempotencyKey } from "../../src/domain/idempotency.ts";
import { createPet } from "../../src/operations/create-pet.ts";

test("the document's pattern takes the keys that the service takes, and no others", () => {
  const { pattern, minLength, maxLength } = createPet.parameters["Idempotency-Key"]?.schema ?? {};
  const shape = new RegExp(String(pattern));
  const counts = { taken: 0, refused: 0 };
  const keys = fc.oneof(
    fc.string({ unit: fc.constantFrom(",", " ", "-", "a", "!", "~"), maxLength: 9 }),
    fc.string({ unit: fc.constantFrom("a", ","), minLength: 253, maxLength: 257 }),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  fc.assert(
    fc.property(keys, (key) => {
      // HTTP takes white space away at both ends (RFC 9110, section 5.5).
      fc.pre(key === key.replace(/^[ \t]+|[ \t]+$/g, ""));
      const taken = isIdempotencyKey(key);
      counts[taken ? "taken" : "refused"]++;
      expect([
        key,
        shape.test(key) && key.length >= Number(minLength) && key.length <= Number(maxLength),
      ]).toEqual([key, taken]);
    }),
    { numRuns: 20_000 },
  );
  expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(1000);
});

const REX = { name: "Rex", categoryId: 12n, status: "available" } as const;

test("a create keeps the digest that earlier releases stored for it", () => {
  expect(digestOf(REX)).toBe("267e79c571137e7bb69d7ab7c5ba71b9d3fa2b83b1e953cd29aa9a3dba68875b");
});

test("a member that a later release adds changes the digests of the animals that have it, and no others", () => {
  const poodle = { ...REX, breed: "Poodle" };
  const small = { ...REX, size: 2n, breed: "Poodle" };
  const others = [poodle, small, { ...REX, size: 2n }, { ...REX, breed: "Poodle,size=2" }];
  expect(digestOf({ ...REX, ...{ breed: undefined } })).toBe(digestOf(REX));
  expect(new Set([REX, ...others].map(digestOf)).size).toBe(5);
  expect(digestOf({ ...poodle, ...small })).toBe(digestOf(small));
});

test("an order keeps the digest that earlier releases stored for it", () => {
  expect(digestOfOrder({ petId: 7n })).toBe(
    "6e41861e24a781a69713e81920f6f206c4ff8d3b3829268e32463ee7e6150420",
  );
});

test("a member that a later release adds changes the digests of the orders that have it, and no others", () => {
  const plain = { petId: 7n };
  const noted = { ...plain, note: "Ring twice." };
  const urgent = { ...plain, urgent: true, note: "Ring twice." };
  const others = [noted, urgent, { ...plain, urgent: true }, { ...plain, note: "Ring twice.,urgent=true" }];
  expect(digestOfOrder({ ...plain, ...{ note: undefined } })).toBe(digestOfOrder(plain));
  expect(new Set([plain, ...others].map(digestOfOrder)).size).toBe(5);
  expect(digestOfOrder({ ...noted, ...urgent })).toBe(digestOfOrder(urgent));
});
