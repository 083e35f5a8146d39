import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { inOrder } from "../../scripts/migrations.ts";
import { recipeNames, recipeOf } from "../../suites/recipes/recipe.ts";

const ROOT = join(import.meta.dir, "../..");

test.each(recipeNames())("docs/recipes/%s.md still fits the files that it changes", (name) => {
  const changes = recipeOf(name);
  expect(changes.length).toBeGreaterThan(0);
  const misfits = changes.flatMap(({ file, isNew, before }) => {
    const path = join(ROOT, file);
    if (isNew) return existsSync(path) ? [`${file} exists`] : [];
    const text = readFileSync(path, "utf8");
    return before.filter((lines) => text.split(lines).length !== 2).map((lines) => `${file}:\n${lines}`);
  });
  expect(misfits).toEqual([]);
});

test.each(recipeNames())("docs/recipes/%s.md gives its migrations the next numbers", (name) => {
  for (const { file } of recipeOf(name).filter(({ file }) => file.endsWith(".sql"))) {
    const folder = dirname(file);
    const files = [...readdirSync(join(ROOT, folder)), basename(file)];
    expect(inOrder(folder, files)).toContain(basename(file));
  }
});

test.each([
  ["add-a-failure", 4],
  ["add-a-filter-of-a-list", 9],
  ["add-a-member", 7],
  ["add-a-reader-of-the-feed", 2],
  ["add-a-setting", 4],
  ["add-an-operation", 10],
])("%s takes %i files", (name, count) => {
  expect(new Set(recipeOf(name).map(({ file }) => file)).size).toBe(count);
});
