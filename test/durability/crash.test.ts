import { test } from "bun:test";
import { killDuringCreates } from "./kill-during-creates.ts";

// `npm test -- kills` does this 200 times.
test("kill -9 in the middle of creates loses nothing acknowledged and gives no id twice", () =>
  killDuringCreates(6));
