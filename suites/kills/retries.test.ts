import { test } from "bun:test";
import { killBeforeAnswer } from "../../test/durability/kill-before-answer.ts";

const KILLS = 20;

test(`a create whose response is lost in a crash is stored once when it is retried, ${KILLS} times`, () =>
  killBeforeAnswer(KILLS));
