import { expect, test } from "bun:test";
import { join } from "node:path";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { shareOfCount } from "../share.ts";

const FUZZ = join(import.meta.dir, "../../scripts/fuzz.ts");

// A share is enough to see memory grow: by 15 MiB in 57,000 requests, or 280 bytes a request; all of them show 22 bytes.
const requests = `${shareOfCount(1_000_000, "hostile requests")}`;

test(
  "a million hostile requests: every answer is as the contract has it, and memory does not grow",
  async () => {
    await using fuzz = Bun.spawn([process.execPath, FUZZ, "--requests", requests], {
      stdout: "inherit",
      stderr: "inherit",
    });
    expect(await fuzz.exited).toBe(0);
  },
  LONG_RUN_MS,
);
