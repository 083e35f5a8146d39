import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MUTANTS } from "../../suites/mutants/catalogue.ts";
import { patched } from "../support/patch.ts";

const ROOT = join(import.meta.dir, "../..");

test("the text that each mutant breaks stands in its file once", () => {
  const stale = MUTANTS.flatMap((mutant) => {
    try {
      patched(readFileSync(join(ROOT, mutant.file), "utf8"), mutant);
      return [];
    } catch (error) {
      return [`${mutant.breaks}: ${error}`];
    }
  });
  expect(stale).toEqual([]);
});
