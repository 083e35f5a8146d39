import { test } from "bun:test";
import { distributionPrograms } from "../../test/support/installed-programs.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOf } from "../share.ts";
import { runSuite, SUITES } from "./suites.ts";

// A distribution's PostgreSQL has LLVM, which compiles plans above a cost by default; npm's has not.

for (const suite of shareOf(Object.keys(SUITES) as (keyof typeof SUITES)[], "suites")) {
  test(
    `the suite ${suite} passes on the distribution's PostgreSQL`,
    () => runSuite(suite, distributionPrograms()),
    LONG_RUN_MS,
  );
}
