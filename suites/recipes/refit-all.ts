// `npm run refit`: writes the diffs of docs/recipes/ again where the files that they change have changed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Change, changeOf, DIFF, misfitsOf, recipeNames } from "./recipe.ts";
import { git, refit } from "./refit.ts";

const ROOT = join(import.meta.dir, "../..");

for (const name of recipeNames()) {
  const page = `docs/recipes/${name}.md`;
  let text = readFileSync(join(ROOT, page), "utf8");
  for (const [, diff = ""] of text.matchAll(DIFF)) {
    const change = changeOf(diff);
    const path = join(ROOT, change.file);
    const now = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (misfitsOf(change, now).length === 0) continue;
    const was = lastFitting(page, change);
    const found = now === undefined || was === undefined ? undefined : await refit(change, was, now);
    if (found === undefined) process.exitCode = 1;
    else text = text.replace(diff, () => found);
    const outcome =
      found !== undefined
        ? "read what was fitted"
        : was !== undefined
          ? "fit this by hand"
          : notCommitted(page);
    process.stdout.write(`${page}: ${change.file}: ${outcome}\n`);
  }
  writeFileSync(join(ROOT, page), text);
}

/** What to do with a diff that fits no commit: what it was fitted to is not kept. */
function notCommitted(page: string): string {
  return `fits no commit; begin again after \`git checkout HEAD -- ${page}\`, or fit this by hand`;
}

/** The file as it is in HEAD, or as it was when the page was last committed, if the diff fits one of them. */
function lastFitting(page: string, change: Change): string | undefined {
  const { file } = change;
  const lastOfPage = git(["log", "-1", "--format=%H", "--", page], ROOT).trim();
  return ["HEAD", lastOfPage]
    .filter((commit) => git(["ls-tree", commit, "--", file], ROOT) !== "")
    .map((commit) => git(["show", `${commit}:${file}`], ROOT))
    .find((version) => misfitsOf(change, version).length === 0);
}
