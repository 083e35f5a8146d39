import { describe, expect, test } from "bun:test";
import { JOURNEYS, runJourney } from "../../test/client/run-journey.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";

// The client as it ships does the same in every runtime. The turns of Deno and Chromium are in suites/clients.

describe.each(JOURNEYS)("the $program in", (each) => {
  const { expected } = each;

  test("Node", async () => {
    expect(await runJourney([requiredProgram("node")], each)).toEqual(expected);
  });

  test("Bun", async () => {
    expect(await runJourney([process.execPath], each)).toEqual(expected);
  });
});
