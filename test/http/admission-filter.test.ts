import { expect, test } from "bun:test";
import { AdmissionFilter } from "../../src/http/cache/admission-filter.ts";

test("what was asked for a moment ago is known, and hardly anything else", () => {
  const filter = new AdmissionFilter();
  let mistaken = 0;
  for (let page = 0; page < 20_000; page++) {
    const what = `/v1/pets?cursor=${page}`;
    if (filter.seenBefore(what)) mistaken++;
    expect(filter.seenBefore(what)).toBe(true);
  }
  expect(mistaken).toBeLessThan(20);
});
