import { test } from "bun:test";
import { killBeforeAnswer } from "../../test/durability/kill-before-answer.ts";

const KILLS = 20;

test(`a create whose answer a crash swallowed is not done twice, ${KILLS} times`, () =>
  killBeforeAnswer(KILLS));
