import { test } from "bun:test";
import { killDuringImports } from "../../test/durability/kill-during-imports.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";

test.each([[[]], [["--commit-every", "3000"]]])(
  "an import with %p, killed at moment after moment, brings what is missing and nothing twice",
  (flags) => killDuringImports(flags, 30_000, (attempt) => 40 + attempt * 40),
  LONG_RUN_MS,
);
