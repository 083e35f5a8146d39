import { test } from "bun:test";
import { join } from "node:path";
import { LONG_RUN_MS } from "../../test/support/time-limit.ts";
import { runSuite, SUITES } from "./suites.ts";

// A distribution's PostgreSQL has LLVM, which compiles plans above a cost by default; npm's has not.

const INSTALLED = "/usr/lib/postgresql";

for (const suite of Object.keys(SUITES) as (keyof typeof SUITES)[]) {
  test(
    `the suite ${suite} passes on the distribution's PostgreSQL`,
    () => runSuite(suite, newest()),
    LONG_RUN_MS,
  );
}

function newest(): string {
  const programs = [...new Bun.Glob(`${INSTALLED}/*/bin/postgres`).scanSync()];
  const found = programs.toSorted(new Intl.Collator("en", { numeric: true }).compare).at(-1);
  if (found !== undefined) return join(found, "..");
  throw new Error(`there is no PostgreSQL in ${INSTALLED}; on Debian: apt-get install postgresql`);
}
