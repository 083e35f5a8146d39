import { test } from "bun:test";
import { killBeforeAnswer } from "./kill-before-answer.ts";

// `npm run test:kills` does this more often.
test("a create whose answer a crash swallowed is not done twice", () => killBeforeAnswer(2));
