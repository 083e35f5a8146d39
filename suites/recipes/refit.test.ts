import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { apply, copyRepository } from "./copy.ts";
import { changeOf, misfitsOf, recipeOf } from "./recipe.ts";
import { refit } from "./refit.ts";

const ROOT = join(import.meta.dir, "../..");
const RECIPE = recipeOf("add-a-member").filter(({ isNew }) => !isNew);

test(
  "the recipe of a member is fitted to a repository where another member was added by it",
  async () => {
    using folder = temporaryFolder();
    copyRepository(folder.path);
    const read = (root: string, file: string) => readFileSync(join(root, file), "utf8");
    const other = ({ diff }: { readonly diff: string }) =>
      changeOf(
        diff.replaceAll("color", "microchip").replaceAll("Color", "Microchip").replaceAll("COLOR", "CHIP"),
      );
    await apply(folder.path, RECIPE.map(other));
    for (const change of RECIPE) {
      const now = read(folder.path, change.file);
      expect(misfitsOf(change, now)).not.toEqual([]);
      const fitted = await refit(change, read(ROOT, change.file), now);
      await apply(folder.path, [changeOf(`${fitted}`)]);
    }
    const style = [
      "node_modules/.bin/biome",
      "check",
      "--error-on-warnings",
      ...RECIPE.map(({ file }) => file),
    ];
    for (const command of [["npm", "run", "-s", "generate"], ["npm", "run", "-s", "types"], style])
      await runCommand(command, { cwd: folder.path });
    expect(read(folder.path, "src/domain/animal.ts")).toMatch(/ microchip\?: string.*\n.* color\?: string/);
  },
  LONG_RUN_MS,
);

test("a diff is not fitted where the file has changed the same words", async () => {
  const [, schemas] = RECIPE;
  if (!schemas) throw new Error("the recipe has no second change");
  const was = readFileSync(join(ROOT, schemas.file), "utf8");
  const now = was.replace(", status: given = DEFAULT_STATUS } = body", " } = body");
  expect(now).not.toBe(was);
  expect(await refit(schemas, was, now)).toBeUndefined();
});

test("a diff is not fitted where that would leave a hole in an array", async () => {
  const diff = [
    "--- a/contract/list-cases.ts",
    "+++ b/contract/list-cases.ts",
    "@@ -1 +1,4 @@",
    "-const A = [1];",
    "+const A = [",
    "+  1,",
    "+  2,",
    "+];",
  ];
  const now = "const A = [\n  1,\n  3,\n];\n";
  expect(await refit(changeOf(`${diff.join("\n")}\n`), "const A = [1];\n", now)).toBeUndefined();
});

test(
  "a page that is fitted a second time before a commit says how to begin again",
  async () => {
    using folder = temporaryFolder();
    copyRepository(folder.path);
    const run = (...command: string[]) => {
      const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder.path, "..") };
      return `${Bun.spawnSync(command, { cwd: folder.path, env }).stdout}`;
    };
    const commit = [
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@example.com",
      "commit",
      "-qm",
      "all",
      "--no-verify",
    ];
    for (const command of [["init", "-q"], ["add", "docs/recipes", "src", "contract", "web"], commit])
      run("git", ...command);
    const file = join(folder.path, "src/domain/animal.ts");
    const add = (member: string) => {
      const text = readFileSync(file, "utf8");
      writeFileSync(
        file,
        text.replace(/(?<=interface NewAnimal \{[^}]*)\}/, `  readonly ${member}?: string;\n}`),
      );
      return run("bin/runtime", "suites/recipes/refit-all.ts");
    };
    const line = "docs/recipes/add-a-member.md: src/domain/animal.ts";
    expect(add("breed")).toContain(`${line}: read what was fitted`);
    const told = add("microchip");
    expect(told).toContain(`${line}: fits no commit; begin again after`);
    const [, command = ""] = /`(git checkout [^`]*add-a-member.md)`/.exec(told) ?? [];
    run(...command.split(" "));
    expect(run("bin/runtime", "suites/recipes/refit-all.ts")).toContain(`${line}: read what was fitted`);
  },
  LONG_RUN_MS,
);

test("a diff is not fitted where the file has declared the same name", async () => {
  using folder = temporaryFolder();
  copyRepository(folder.path);
  const [filter] = recipeOf("add-a-filter-of-a-list");
  if (!filter) throw new Error("the recipe has no change");
  const another = changeOf(filter.diff.replaceAll("Return only animals", "Only animals"));
  await apply(folder.path, [another]);
  const [was, now] = [ROOT, folder.path].map((root) => readFileSync(join(root, filter.file), "utf8"));
  expect(await refit(filter, `${was}`, `${now}`)).toBeUndefined();
});
