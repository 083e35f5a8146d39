import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MUTANTS } from "../../suites/mutants/catalogue.ts";
import { patched } from "../support/patch.ts";

const ROOT = join(import.meta.dir, "../..");
/** A shorter part of a title may stand anywhere by chance. */
const PART_MIN = 12;
const LITERAL = /(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g;
const FILLED_IN = /%[a-z]|\$\{[^}]*\}|\$\w+/;

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

test("the test that must notice each mutant has its title, whole or in the parts that a table fills in", () => {
  const files = [...new Bun.Glob("{test,suites,contract}/**/*.ts").scanSync(ROOT)];
  const tests = files
    .filter((file) => !file.startsWith("suites/mutants/"))
    .map((file) => readFileSync(join(ROOT, file), "utf8"))
    .join("\n");
  const literals = tests.matchAll(LITERAL).map(([, , text = ""]) => text.replaceAll(/\\(.)/g, "$1"));
  const parts = new Set(literals.flatMap((text) => text.split(FILLED_IN)).filter(isLong));
  const isThere = (title: string) =>
    tests.includes(title) || parts.values().some((part) => title.includes(part));
  const stale = MUTANTS.filter(
    ({ noticedBy, title }) => !existsSync(join(ROOT, noticedBy)) || !isThere(title),
  );
  expect(stale.map(({ title }) => title)).toEqual([]);
});

function isLong(part: string): boolean {
  return part.trim().length >= PART_MIN;
}
