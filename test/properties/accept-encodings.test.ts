import { expect, test } from "bun:test";
import fc from "fast-check";
import { chooseCoding } from "../../src/http/response/content-coding.ts";

const OURS = ["zstd", "br", "gzip"] as const;

/** An element of the header, and what it says: nothing, where it is malformed. */
interface Element {
  readonly text: string;
  readonly coding?: string;
  /** In thousandths. */
  readonly weight?: number;
}

const blank = fc.stringMatching(/^[ \t]{0,2}$/);
const coding = fc.constantFrom(...OURS, "identity", "*", "deflate", "x-other");

const weightText = (thousandths: number, digits: number) => {
  const text = (thousandths / 1000).toFixed(3);
  // As short as it may be without saying something else.
  const least = text.replace(/\.?0+$/, "");
  return text.slice(0, Math.max(least.length, digits + 1)).replace(/\.$/, "");
};

const element: fc.Arbitrary<Element> = fc
  .tuple(
    fc.mixedCase(coding),
    fc.option(
      fc.tuple(fc.constantFrom(0, 1, 100, 500, 999, 1000), fc.nat(4), fc.mixedCase(fc.constant("q"))),
    ),
    blank,
    blank,
  )
  .map(([coding, weight, before, after]) => {
    const [thousandths, digits, q] = weight ?? [1000, 0, "q"];
    const parameter = weight ? `${before};${after}${q}=${weightText(thousandths, digits)}` : "";
    return { text: before + coding + parameter + after, coding: coding.toLowerCase(), weight: thousandths };
  });

const malformed: fc.Arbitrary<Element> = fc
  .tuple(
    coding,
    fc.constantFrom(
      ";q=2",
      ";q=1.001",
      ";q=0.0001",
      ";q=-0",
      ";q=",
      ";q",
      ";q=.5",
      ";x=1",
      " gzip",
      ";q=1;q=0",
    ),
  )
  .map(([coding, rest]) => ({ text: coding + rest }));

const header = fc.uniqueArray(
  fc.oneof({ weight: 5, arbitrary: element }, malformed, fc.constant<Element>({ text: "" })),
  {
    selector: ({ coding, text }) => coding ?? text,
    maxLength: 7,
  },
);

/** The weight that a list gives to a coding, in thousandths; `undefined` where it says nothing of it. */
function weightIn(elements: readonly Element[], coding: string): number | undefined {
  const named = elements.find((element) => element.coding === coding);
  return (named ?? elements.find((element) => element.coding === "*"))?.weight;
}

test("the coding chosen is acceptable, and none of ours is preferred to it", () => {
  fc.assert(
    fc.property(header, fc.boolean(), (elements, worthwhile) => {
      const chosen = chooseCoding(elements.map(({ text }) => text).join(","), worthwhile);
      const weights = OURS.map((coding) => weightIn(elements, coding) ?? 0);
      const best = Math.max(...weights);
      const named = elements.find(({ coding }) => coding === "identity")?.weight;
      const forbidden = weightIn(elements, "identity") === 0;

      const expected = best > 0 && best >= (named ?? 0) && (worthwhile || forbidden);
      expect(chosen !== undefined).toBe(expected);
      // Of the codings that the client likes best, our favourite.
      if (chosen) expect(chosen).toBe(OURS[weights.indexOf(best)] as typeof chosen);
    }),
    { numRuns: 5000 },
  );
});

test("no header makes it fail", () => {
  const characters = fc.string({ unit: fc.constantFrom(...'gzipbr*;q=01. ,\t"é'), maxLength: 30 });
  fc.assert(
    fc.property(characters, fc.boolean(), (text, worthwhile) => {
      expect([...OURS, undefined]).toContain(chooseCoding(text, worthwhile));
    }),
    { numRuns: 2000 },
  );
});
