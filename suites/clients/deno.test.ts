import { expect, test } from "bun:test";
import { EXPECTED, runJourney } from "../../test/client/run-journey.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { deno } from "./tools.ts";

test(
  "the client does in Deno what it does in Node, Bun and Chromium",
  async () => {
    expect(await runJourney([await deno(), "run", "--quiet", "--allow-env", "--allow-net"])).toEqual(
      EXPECTED,
    );
  },
  LONG_RUN_MS,
);
