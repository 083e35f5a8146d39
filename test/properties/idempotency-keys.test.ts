import { expect, test } from "bun:test";
import fc from "fast-check";
import { isIdempotencyKey } from "../../src/domain/idempotency.ts";
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
