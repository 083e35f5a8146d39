import { expect, test } from "bun:test";
import { AskedBefore } from "../../src/http/cache/admission-filter.ts";

test("what was asked for a moment ago is known, and hardly anything else", () => {
  const asked = new AskedBefore();
  let mistaken = 0;
  for (let page = 0; page < 20_000; page++) {
    const what = `/v1/pets?cursor=${page}`;
    if (asked.note(what)) mistaken++;
    expect(asked.note(what)).toBe(true);
  }
  expect(mistaken).toBeLessThan(20);
});
