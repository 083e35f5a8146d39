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
];
