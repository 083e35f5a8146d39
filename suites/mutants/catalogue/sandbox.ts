import type { Mutant } from "../mutant.ts";

export const SANDBOX: readonly Mutant[] = [
  {
    breaks: "a journal that takes a filter which no request can match",
    file: "sandbox/journal-query.ts",
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
  {
    breaks: "a planned fault that meets requests of every path",
    file: "sandbox/fault-plan.ts",
    from: "(rule.path ?? path) === path &&",
    to: "",
    noticedBy: "test/sandbox/faults.test.ts",
    title: "a planned fault waits for its path, and for what the body has",
  },
  {
    breaks: "a strict sandbox that takes a misspelt query parameter",
    file: "sandbox/strict.ts",
    from: "if (declared.includes(name)) continue;",
    to: "if (declared.length > 0) continue;",
    noticedBy: "test/sandbox/strict.test.ts",
    title: "a strict sandbox names a query parameter",
  },
  {
    breaks: "an expectation about requests that no client can fail",
    file: "bin/sandbox-space.cjs",
    from: "if (count === undefined ? found.length > 0 : found.length === count) return found;",
    to: "if (found) return found;",
    noticedBy: "test/sandbox/kit.test.ts",
    title: "an expectation that fails shows the requests that it counted",
  },
];
