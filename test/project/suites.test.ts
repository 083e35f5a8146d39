import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SUITES } from "../../suites/catalogue.ts";
import type { Mutant } from "../../suites/mutants/mutant.ts";

const ROOT = join(import.meta.dir, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

test("every folder of suites/ is in the catalogue, and has tests", () => {
  const folders = readdirSync(join(ROOT, "suites"), { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  expect(folders.map(({ name }) => name).sort()).toEqual(SUITES.map(({ name }) => name).sort());
  for (const { name } of SUITES) {
    expect([name, [...new Bun.Glob("**/*.test.ts").scanSync(join(ROOT, "suites", name))].length > 0]).toEqual(
      [name, true],
    );
  }
});

test("every suite has its command", () => {
  const commands = Object.entries(scripts).filter(
    ([name]) => name.startsWith("test:") && name !== "test:quick",
  );
  expect(Object.fromEntries(commands)).toEqual(
    Object.fromEntries(
      SUITES.map(({ name }) => [`test:${name}`, `exec bin/runtime scripts/test.ts ${name}`]),
    ),
  );
});

test("every test is run by a command", () => {
  const files = [...new Bun.Glob("{bench,scripts,src,suites,test}/**/*.test.ts").scanSync(ROOT)];
  // The bench installs packages of its own.
  const run = /^(?:test\/|suites\/[^/]+\/)|\/node_modules\//;
  expect(files.filter((file) => !run.test(file))).toEqual([]);
});

test("no test sets its own time limit, which a busy machine would exceed", () => {
  const ownLimit =
    /(?<!\.)\bsetDefaultTimeout\b|\.setDefaultTimeout\((?!0\))|^\s*\}, [0-9][0-9_]*\);$|^\s*\},\n\s*[0-9][0-9_]*,\n\s*\);$/m;
  const files = [...new Bun.Glob("{suites,test}/**/*.ts").scanSync(ROOT)].filter(
    (file) => file !== "test/project/suites.test.ts",
  );
  expect(files.filter((file) => ownLimit.test(readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
});

test("each mutant changes a text that occurs once in its file, and names an existing test file", async () => {
  const files = [...new Bun.Glob("suites/mutants/catalogue/*.ts").scanSync({ cwd: ROOT, absolute: true })];
  const mutants = (await Promise.all(files.map((file) => import(file)))).flatMap(
    (module) => Object.values(module).flat() as Mutant[],
  );
  expect(mutants.length).toBeGreaterThan(100);
  const stale = mutants.filter(({ file, from, noticedBy }) => {
    const path = join(ROOT, file);
    const times = existsSync(path) ? readFileSync(path, "utf8").split(from).length - 1 : 0;
    return times !== 1 || !existsSync(join(ROOT, noticedBy));
  });
  expect(stale.map(({ file, from }) => `${file}: ${from}`)).toEqual([]);
});
