import { test } from "bun:test";
import { killBeforeAnswer } from "./kill-before-answer.ts";

// `npm test -- kills` does this more often.
test("a create whose response is lost in a crash is stored once when it is retried", () =>
  killBeforeAnswer(2));
