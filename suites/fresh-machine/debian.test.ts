import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signalAll } from "../../test/support/processes.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { Machine, SUPERUSER } from "./machine.ts";
import { npmOf, type Place, passes, starts, TEST } from "./place.ts";

describe("Debian with Node, npm and nothing else", () => {
  let place: Place;
  beforeAll(async () => {
    place = { machine: await Machine.make("bookworm"), user: SUPERUSER, folder: "/root/animal-store" };
    await place.machine.clone(place.user, place.folder);
  }, LONG_RUN_MS);
  afterAll(() => place?.machine[Symbol.dispose]());

  test("README's first line starts the service, whose printed request works", () => starts(place));

  test(
    "README's second line passes its tests and leaves nothing behind",
    () => passes(place, TEST),
    LONG_RUN_MS,
  );

  test("a run of tests that is ended leaves nothing behind", async () => {
    await using running = place.machine.start(place.user, place.folder, "npm test");
    await running.child.says(/^\(pass\).* on PostgreSQL/m);
    signalAll([npmOf(running.child.pid)], "SIGTERM");
    expect(await running.child.exited).not.toBe(0);
    expect(running.leftovers()).toEqual([]);
  });
});
