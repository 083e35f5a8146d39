import { afterAll, beforeAll, describe, test } from "bun:test";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { SUPERUSER } from "./machine.ts";
import { BUSYBOX_PATH, makeMuslMachine } from "./musl.ts";
import { type Place, passes, QUICK_ON, starts } from "./place.ts";

describe("musl and BusyBox, as on Alpine", () => {
  let place: Place;
  beforeAll(async () => {
    const machine = await makeMuslMachine();
    place = { machine, user: SUPERUSER, folder: "/root/animal-store", env: { PATH: BUSYBOX_PATH } };
    await machine.clone(place.user, place.folder);
  }, LONG_RUN_MS);
  afterAll(() => place?.machine[Symbol.dispose]());

  test("README's first line starts the service, whose printed request works", () => starts(place));
  if (QUICK_ON.includes("musl and BusyBox"))
    test(
      "the quick tests pass and leave nothing behind",
      () => passes(place, "npm test -- quick"),
      LONG_RUN_MS,
    );
});
