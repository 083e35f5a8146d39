import { nameOf, received } from "../journal.ts";
import { observeEach, type Rule } from "../rule.ts";

/** Integers of JSON that a double cannot hold all of, and numbers with an exponent. */
const LONG_NUMBER = /(?<![\w.])-?\d{16,}(?![\w.])|(?<![\w.])-?\d+(?:\.\d+)?e\+?\d+/gi;
const STRING = /"(?:[^"\\]|\\.)*"/g;
const INT64_MAX = 2n ** 63n - 1n;

export const EXACT_INTEGERS: Rule = {
  id: "exact-integers",
  title: "It keeps integers of 64 bits exact.",
  testedBy: "create an animal with a long categoryId, for example that of the animal called Max",
  observe({ requests }) {
    const known = new Set([`${INT64_MAX}`]);
    const sent = requests.flatMap((request) => {
      const numbers = longNumbersIn(request.body).map((number) => ({ request, number }));
      for (const number of longNumbersIn(received(request)?.body ?? null)) known.add(number);
      return numbers;
    });
    return observeEach(sent, ({ request, number }) => {
      const exact = [...known].find((each) => each !== number && Number(each) === Number(number));
      return known.has(number) || exact === undefined
        ? undefined
        : `${nameOf(request)} sent ${number}, which is ${exact} rounded`;
    });
  },
};

function longNumbersIn(json: string | null): string[] {
  return [...(json ?? "").replace(STRING, '""').matchAll(LONG_NUMBER)].map(([number]) => number);
}
