import { describe, test } from "bun:test";
import { killDuringCreates } from "../../test/durability/kill-during-creates.ts";

const KILLS = 20;

for (const WORKERS of ["1", "2"]) {
  describe(`of a service with WORKERS=${WORKERS}`, () => {
    for (let store = 1; store <= 5; store++) {
      test(`${KILLS} kills in the middle of creates lose nothing acknowledged (store ${store} of 5)`, () =>
        killDuringCreates(KILLS, { WORKERS }));
    }
  });
}
