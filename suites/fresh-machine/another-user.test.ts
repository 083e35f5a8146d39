import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { Machine, USER } from "./machine.ts";
import { type Place, passes, QUICK_ON, starts } from "./place.ts";

describe("as another user, in a folder whose path has spaces", () => {
  let place: Place;
  beforeAll(async () => {
    const folder = `${USER.home}/my code/animal store`;
    place = { machine: await Machine.make("bookworm"), user: USER, folder };
    await place.machine.clone(place.user, place.folder);
  }, LONG_RUN_MS);
  afterAll(() => place?.machine[Symbol.dispose]());

  test("README's first line starts the service, whose printed request works", () => starts(place));

  if (QUICK_ON.includes("as another user"))
    test(
      "the quick tests pass and leave nothing behind",
      () => passes(place, "npm test -- quick"),
      LONG_RUN_MS,
    );

  test("a test that hangs fails within two minutes, and leaves nothing behind", async () => {
    const hangs = `import { test } from "bun:test";
      import { startOwnPostgres } from "../support/postgres.ts";
      test("it hangs", async () => {
        await using postgres = await startOwnPostgres();
        postgres.freeze();
        await new Promise(() => {});
      });`;
    writeFileSync(join(place.machine.root, place.folder, "test/project/hangs.test.ts"), hangs);
    await using running = place.machine.start(
      place.user,
      place.folder,
      "timeout 120 npm test -- test/project/hangs.test.ts",
    );
    const { exitCode, stdout } = await running.child.ended();
    expect({ exitCode, leftovers: running.leftovers() }).toEqual({ exitCode: 1, leftovers: [] });
    expect(stdout).toMatch(/^\(fail\) it hangs/m);
  });
});
