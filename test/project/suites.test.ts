import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SUITES } from "../../suites/catalogue.ts";
import type { Mutant } from "../../suites/mutants/mutant.ts";
import { DELIBERATE_FAULTS } from "../../suites/verify/deliberate-faults.ts";
import type { Patch } from "../support/patch.ts";

const ROOT = join(import.meta.dir, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** The mean length of the pieces of a composed title; other titles fall into shorter ones. */
const PIECE_MIN = 15;

const IMPORTS = new Bun.Transpiler({ loader: "ts" });
const texts = new Map<string, string>();

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

test("no suite has a command of its own next to `npm test -- NAME`", () => {
  expect(Object.keys(scripts).filter((name) => name.startsWith("test:"))).toEqual([]);
});

test("every test is run by a command", () => {
  const files = [...new Bun.Glob("{bench,scripts,src,suites,test}/**/*.test.ts").scanSync(ROOT)];
  // The bench installs packages of its own.
  const run = /^(?:test\/|suites\/[^/]+\/)|\/node_modules\//;
  expect(files.filter((file) => !run.test(file))).toEqual([]);
});

test("no test sets its own time limit, which a busy machine would exceed", () => {
  const ownLimit =
    /(?<!\.)\bsetDefaultTimeout\b|\.setDefaultTimeout\((?!BROWSER_WAIT_MS\))|^\s*\}, [0-9][0-9_]*\);$|^\s*\},\n\s*[0-9][0-9_]*,\n\s*\);$/m;
  const files = [...new Bun.Glob("{suites,test}/**/*.ts").scanSync(ROOT)].filter(
    (file) => file !== "test/project/suites.test.ts",
  );
  expect(files.filter((file) => ownLimit.test(readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
});

test("each mutant changes a text that occurs once in its file, and names an existing test", async () => {
  const files = [...new Bun.Glob("suites/mutants/catalogue/*.ts").scanSync({ cwd: ROOT, absolute: true })];
  const mutants = (await Promise.all(files.map((file) => import(file)))).flatMap(
    (module) => Object.values(module).flat() as Mutant[],
  );
  expect(mutants.length).toBeGreaterThan(100);
  expect(stale(mutants)).toEqual([]);
  expect(mutants.filter(({ noticedBy }) => !existsSync(join(ROOT, noticedBy)))).toEqual([]);
  const untitled = mutants.filter(({ noticedBy, title }) => !isTitleIn(title, withImports(noticedBy)));
  expect(untitled.map(({ noticedBy, title }) => `${noticedBy}: ${title}`)).toEqual([]);
});

test("each fault that `verify` has to find changes texts that occur once in their files", () => {
  const patches = Object.values(DELIBERATE_FAULTS).flatMap(({ patch }) => patch);
  expect(patches.length).toBeGreaterThan(20);
  expect(stale(patches)).toEqual([]);
});

/** The patches whose text does not stand in its file exactly once. */
function stale(patches: readonly Patch[]): string[] {
  return patches
    .filter(({ file, from }) => {
      const path = join(ROOT, file);
      return !existsSync(path) || readFileSync(path, "utf8").split(from).length !== 2;
    })
    .map(({ file, from }) => `${file}: ${from}`);
}

/** The text of a test file and of all files that it imports. */
function withImports(file: string): string {
  const cached = texts.get(file);
  if (cached !== undefined) return cached;
  texts.set(file, "");
  const own = readFileSync(join(ROOT, file), "utf8");
  const imported = IMPORTS.scanImports(own).filter(
    ({ path }) => path.endsWith(".ts") && !path.includes("/src/"),
  );
  const text = [own, ...imported.map(({ path }) => withImports(join(dirname(file), path)))].join("\n");
  texts.set(file, text);
  return text;
}

/** Whether a text has a title, or the pieces that a loop composes it of: so few that they are not there by chance. */
function isTitleIn(title: string, text: string): boolean {
  let pieces = 0;
  for (let at = 0; at < title.length; pieces++) {
    let end = title.length;
    while (end > at + 1 && !text.includes(title.slice(at, end))) end--;
    at = end;
  }
  return pieces === 1 || title.length / pieces >= PIECE_MIN;
}
