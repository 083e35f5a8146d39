import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

test("each program of examples/typescript is run by a test", () => {
  const tests = [...new Bun.Glob("{test,suites}/**/*.test.ts").scanSync(ROOT)];
  const text = tests.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
  const programs = [...new Bun.Glob("examples/typescript/*.ts").scanSync(ROOT)].map((file) => basename(file));
  expect(programs.length).toBeGreaterThan(0);
  expect(programs.filter((name) => !text.includes(`${name}"`))).toEqual([]);
});
