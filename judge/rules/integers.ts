import { nameOf } from "../journal.ts";
import { observeEach, type Rule } from "../rule.ts";

/** Integers of JSON that a double cannot hold all of, and numbers with an exponent. */
const LONG_NUMBER = /(?<![\w.])-?\d{16,}(?![\w.])|(?<![\w.])-?\d+(?:\.\d+)?e\+?\d+/gi;
const STRING = /"(?:[^"\\]|\\.)*"/g;

export const EXACT_INTEGERS: Rule = {
  id: "exact-integers",
  title: "It keeps integers of 64 bits exact.",
  testedBy: "create an animal with the categoryId of the animal called Max, which is another in each run",
  page: "clients.md",
  observe({ requests, placed }) {
    const sent = requests.flatMap((request) =>
      longNumbersIn(request.body)
        .filter((number) => Number(number) === Number(placed))
        .map((number) => ({ request, number })),
    );
    return observeEach(sent, ({ request, number }) =>
      number === placed ? undefined : `${nameOf(request)} sent ${number}, which is ${placed} rounded`,
    );
  },
};

function longNumbersIn(json: string | null): string[] {
  return [...(json ?? "").replace(STRING, '""').matchAll(LONG_NUMBER)].map(([number]) => number);
}
