import type { Mutant } from "../mutant.ts";

/** Reads from standbys of PostgreSQL: each of the checks that make them the primary's. */
export const STANDBYS: readonly Mutant[] = [
  {
    breaks: "standbys that may lack changes of animals and orders",
    file: "src/stores/postgres/standbys/standby-reads.ts",
    from: 'if (before.rewrites.number < asOf.marks.rewrites.number) return refuse("behind");',
    to: "",
    noticedBy: "suites/standbys/truth.test.ts",
    title: "what was just created, ordered or recorded shows at once",
  },
  {
    breaks: "standbys that may lack new animals",
    file: "src/stores/postgres/standbys/standby-reads.ts",
    from: "const isBehind = before.appends.number < asOf.marks.appends.number;",
    to: "const isBehind = false;",
    noticedBy: "suites/standbys/truth.test.ts",
    title: "what was just created, ordered or recorded shows at once",
  },
  {
    breaks: "standbys that may show what the primary has not confirmed",
    file: "src/stores/postgres/standbys/standby-reads.ts",
    from: 'if (verdict === "confirmed") return undefined;',
    to: 'if (verdict !== "other_history") return undefined;',
    noticedBy: "suites/standbys/truth.test.ts",
    title: "what the primary has not confirmed gets 404 on every instance",
  },
  {
    breaks: "standbys with another history than the primary's",
    file: "src/stores/postgres/standbys/confirmed-marks.ts",
    from: 'return token === undefined ? "missing" : "other_history";',
    to: 'return token === undefined ? "missing" : "confirmed";',
    noticedBy: "suites/standbys/truth.test.ts",
    title:
      "a standby that follows another primary, which has other animals with the same ids, answers nothing",
  },
  {
    breaks: "standbys whose feed need not have expired as far as the primary's",
    file: "src/stores/postgres/feed.ts",
    from: "return (rows) => rows[0]?.expiredThrough === expiredThrough;",
    to: "return () => expiredThrough >= 0n;",
    noticedBy: "suites/standbys/truth.test.ts",
    title: "events that have expired on the primary are gone on every instance",
  },
];
