import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LOSSES } from "../../suites/recipes/losses.ts";
import { misfitsOf, recipeNames, recipeOf } from "../../suites/recipes/recipe.ts";

const ROOT = join(import.meta.dir, "../..");

test.each(recipeNames())("docs/recipes/%s.md still fits the files that it changes", (name) => {
  const changes = recipeOf(name);
  expect(changes.length).toBeGreaterThan(0);
  const misfits = changes.flatMap((change) => {
    const path = join(ROOT, change.file);
    return misfitsOf(change, existsSync(path) ? readFileSync(path, "utf8") : undefined);
  });
  expect(misfits, "`npm run refit` fits what it can").toEqual([]);
});

test.each(Object.entries(LOSSES))(
  "what suites/recipes/losses.ts breaks of %s stands there",
  (name, losses) => {
    const stale = losses.filter(({ file, from }) => {
      const diffs = recipeOf(name).filter((change) => change.file === file);
      const added = diffs.flatMap(({ diff }) => diff.split("\n").filter((line) => line.startsWith("+")));
      const lines = readFileSync(join(ROOT, file), "utf8").split("\n").concat(added);
      return lines.filter((line) => line.includes(from)).length !== 1;
    });
    expect(stale).toEqual([]);
  },
);

test.each([
  ["add-a-failure", 4],
  ["add-a-filter-of-a-list", 13],
  ["add-a-member", 7],
  ["add-a-member-of-an-order", 11],
  ["add-a-reader-of-the-feed", 2],
  ["add-a-setting", 4],
  ["add-an-operation", 10],
])("%s takes %i files", (name, count) => {
  expect(new Set(recipeOf(name).map(({ file }) => file)).size).toBe(count);
});
