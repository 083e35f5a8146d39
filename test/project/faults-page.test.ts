import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

const FAILOVER = "suites/failover/failover.test.ts";
const PRIMARY = "suites/failover/primary.test.ts";
const OUTAGE = "suites/faults/postgres-outage.test.ts";
const FULL = "suites/faults/postgres-disk-full.test.ts";
const FAULTS = "suites/standbys/faults.test.ts";
const TRUTH = "suites/standbys/truth.test.ts";
const STORES = "suites/standbys/stores.test.ts";
const BAD_URLS = "suites/standbys/bad-urls.test.ts";
const OTHER_CLUSTER = "suites/failover/other-cluster.test.ts";

/** The test that runs each row of docs/faults.md: its file, and a part of its title. */
const RUN_BY: Readonly<Record<string, readonly [file: string, title: string]>> = {
  "the primary dies, and a standby is promoted": [
    FAILOVER,
    "when the primary dies and its standby is promoted",
  ],
  "the primary is started again": [OUTAGE, "while a killed PostgreSQL restarts under load"],
  "the primary hangs": [OUTAGE, "while PostgreSQL is frozen every client gets a response"],
  "the primary goes on from an earlier snapshot of its disk": [
    "test/postgres/half-open.test.ts",
    "a server that goes on from an earlier state shows nothing that it has lost",
  ],
  "the primary's machine goes on from a snapshot of its memory, or a dump is restored under the service": [
    "test/postgres/earlier-state.test.ts",
    "a store that goes on from an earlier state",
  ],
  "a standby is promoted that lacks the beginning of the recording of events, or a dump from before it is restored":
    ["suites/failover/recording.test.ts", "if a failover loses that changes are recorded, they are again"],
  "a replaced primary goes on as if nothing had happened": [
    PRIMARY,
    "no create is acknowledged on a replaced primary that still runs",
  ],
  "a replaced primary comes back before its successor takes writes": [
    PRIMARY,
    "a replaced primary is not chosen for taking writes while its successor is read-only",
  ],
  "the synchronous standby does not answer": [FAILOVER, "while the standby does not answer no create is"],
  "an operator cancels a commit that waits for its standby": [
    PRIMARY,
    "a create whose wait for the standby an operator cancels is not acknowledged",
  ],
  "the primary is made read-only": [
    OUTAGE,
    "while PostgreSQL is read-only, reads continue and creates get 503",
  ],
  "the primary's disk is full": [FULL, "a full disk of PostgreSQL refuses creates with 503"],
  "the primary has no room for its write-ahead log, and ends": [
    FULL,
    "a PostgreSQL that ended without room for its log is found again",
  ],
  "the store's database is dropped, or an empty one is in its place": [
    OUTAGE,
    "while an empty database stands in the place of the store's",
  ],
  "the server has no connection to spare": [
    OUTAGE,
    "without a free connection, requests get 503 until one is free",
  ],
  "a standby is late, or its replay is paused": [FAULTS, "replays nothing (pg_wal_replay_pause)"],
  "all standbys are lost, and return": [FAULTS, "both standbys are lost and return: no request fails"],
  "a standby shows what is not confirmed": [
    TRUTH,
    "what the primary has not confirmed gets 404 on every instance",
  ],
  "a standby is promoted by mistake": [
    FAULTS,
    "a standby that is promoted by mistake is no standby any more",
  ],
  "a standby follows another primary, or stayed with the old one": [
    TRUTH,
    "a standby that follows another primary",
  ],
  "a standby holds another store, such as a trial that was dropped": [
    STORES,
    "a standby that still holds a store which was dropped answers nothing",
  ],
  "a standby does not have the database yet": [BAD_URLS, "a standby that does not have the database yet"],
  "a standby follows another standby": [BAD_URLS, "a standby that follows another standby answers"],
  "a server of another cluster is at one of the addresses": [
    OTHER_CLUSTER,
    "a server of another cluster at a standby's address is named",
  ],
  "the URL names primaries of two clusters": [OTHER_CLUSTER, "where a URL names primaries of two clusters"],
  "the URL names a server twice, by two names": [
    OTHER_CLUSTER,
    "a server that a URL names twice, by two names",
  ],
  "the URL names a standby twice, by two names": [
    BAD_URLS,
    "a standby that the URL names twice, by two names",
  ],
  "a standby is behind a pooler in transaction mode": [
    "suites/postgres-servers/pooler-standby.test.ts",
    "a standby behind a pooler in transaction mode answers nothing",
  ],
};

const ROWS = readFileSync(join(ROOT, "docs/faults.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:what happens|---)/.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));

test("a test runs each row of docs/faults.md", () => {
  expect(ROWS.map(([what]) => what).sort()).toEqual(Object.keys(RUN_BY).sort());
  for (const [file, title] of Object.values(RUN_BY)) {
    expect({ file, title, is: readFileSync(join(ROOT, file), "utf8").includes(title) }).toEqual({
      file,
      title,
      is: true,
    });
  }
});

test("what docs/faults.md quotes from the log, the program says", () => {
  const sources = ["stores/postgres", "telemetry"].flatMap((room) => [
    ...new Bun.Glob(`src/${room}/**/*.ts`).scanSync({ cwd: ROOT }),
  ]);
  // A text that continues on the next line is one text.
  const all = sources
    .map((path) => readFileSync(join(ROOT, path), "utf8").replaceAll(/["`] \+\n\s*["`]/g, ""))
    .join("\n");
  const quoted = ROWS.flatMap(([, , log = ""]) =>
    [...log.matchAll(/`([^`]+)`/g)].map(([, quote]) => quote ?? ""),
  );
  expect(quoted.length).toBeGreaterThan(ROWS.length - 1);
  const parts = quoted
    .flatMap((quote) => quote.split("…").map((part) => part.trim()))
    .filter((part) => part !== "");
  expect(parts.filter((part) => !all.includes(part))).toEqual([]);
});
