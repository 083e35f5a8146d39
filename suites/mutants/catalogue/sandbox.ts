import type { Mutant } from "../mutant.ts";

export const SANDBOX: readonly Mutant[] = [
  {
    breaks: "a journal that takes a filter which no request can match",
    file: "src/sandbox/journal-query.ts",
    from: "return filters.problemOf(rest) ?? {",
    to: "return {",
    noticedBy: "test/sandbox/journal.test.ts",
    title: "a query that makes no sense is refused",
  },
  {
    breaks: "a judge that takes two tests which ask for the same for a repetition",
    file: "judge/usual.ts",
    from: "if (same.length > 0) return same;",
    to: "if (same.length > 0) return [];",
    noticedBy: "test/judge/rules.test.ts",
    title: "a client that fetches the same in two tests anyway",
  },
];
