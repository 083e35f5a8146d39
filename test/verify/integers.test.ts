import { expect, test } from "bun:test";
import { INT64_MAX, INT64_MIN } from "../../contract/animal.ts";
import { writeInteger } from "../../verify/fuzz/values.ts";
import { Random } from "../../verify/random.ts";

for (const value of [0n, 1n, -1n, 10n, -1000n, INT64_MAX, INT64_MIN]) {
  test(`every way to write ${value} is JSON of the same value`, () => {
    const random = new Random(1, 1);
    const forms = new Set(Array.from({ length: 2000 }, () => writeInteger(value, random)));
    expect(forms.size).toBeGreaterThan(10);
    for (const form of forms) expect(JSON.parse(form)).toBe(Number(value));
  });
}
