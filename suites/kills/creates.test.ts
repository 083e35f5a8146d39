import { describe, test } from "bun:test";
import { killDuringCreates } from "../../test/durability/kill-during-creates.ts";
import { shareOf } from "../share.ts";

const KILLS = 20;

for (const WORKERS of ["1", "2"]) {
  describe(`with WORKERS=${WORKERS}`, () => {
    for (const store of shareOf([1, 2, 3, 4, 5], "stores")) {
      test(`${KILLS} kills in the middle of creates lose nothing acknowledged (store ${store} of 5)`, () =>
        killDuringCreates(KILLS, { WORKERS }));
    }
  });
}
