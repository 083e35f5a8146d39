import { expect, test } from "bun:test";
import { JOURNEYS, runJourney } from "../../test/client/run-journey.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { deno } from "./tools.ts";

test.each(JOURNEYS)(
  "the client does in Deno what it does in Node, Bun and Chromium: the $program",
  async (journey) => {
    const runtime = [await deno(), "run", "--quiet", "--allow-env", "--allow-net"];
    expect(await runJourney(runtime, journey)).toEqual(journey.expected as string[]);
  },
  LONG_RUN_MS,
);
