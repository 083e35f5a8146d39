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
    from: 'if (token !== undefined) return "other_history";',
    to: 'if (token !== undefined) return "confirmed";',
    noticedBy: "suites/standbys/truth.test.ts",
    title:
      "a standby that follows another primary, which has other animals with the same ids, answers nothing",
  },
  {
    breaks: "standbys with another store than the primary's",
    file: "src/stores/postgres/standbys/standby-reads.ts",
    from: "before.store !== asOf.marks.store || after.store !== asOf.marks.store",
    to: "!asOf.marks.store",
    noticedBy: "suites/standbys/stores.test.ts",
    title: "a standby that still holds a store which was dropped answers nothing for the store in its place",
  },
  {
    breaks: "standbys without the animals of a copy",
    file: "src/stores/bulk/copy-target.ts",
    from: "await database.countRewrite();",
    to: "",
    noticedBy: "suites/standbys/stores.test.ts",
    title: "what was copied into a store shows at once, though no standby has replayed it",
  },
  {
    breaks: "standbys whose feed need not have expired as far as the primary's",
    file: "src/stores/postgres/events.ts",
    from: "return (rows) => rows[0]?.expiredThrough === expiredThrough;",
    to: "return () => expiredThrough >= 0n;",
    noticedBy: "suites/standbys/truth.test.ts",
    title: "events that have expired on the primary are gone on every instance",
  },
  {
    breaks: "standbys behind a pooler that shares sessions",
    file: "src/stores/postgres/connect/server.ts",
    from: "const other = DEDICATED.has(host) ? undefined : client(host, target, () => {});",
    to: "const other = isStart ? client(host, target, () => {}) : undefined;",
    noticedBy: "suites/postgres-servers/pooler-standby.test.ts",
    title:
      "a standby behind a pooler in transaction mode answers nothing, and its other clients keep their settings",
  },
  {
    breaks: "standbys that are asked in transactions of the role's isolation",
    file: "src/stores/postgres/connect/unset-session.ts",
    from: "; SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
    to: "",
    noticedBy: "suites/standbys/settings.test.ts",
    title: "a standby answers where transactions are serializable",
  },
  {
    breaks: "servers that are asked who they are within the role's statement_timeout",
    file: "src/stores/postgres/connect/unset-session.ts",
    from: "SET LOCAL statement_timeout = 0; ",
    to: "",
    noticedBy: "test/postgres/session-settings.test.ts",
    title:
      "a store works for a role whose statements may take a millisecond, and whose transactions are serializable",
  },
];
