import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { numberOf } from "../../scripts/migrations.ts";

const ROOT = join(import.meta.dir, "../..");
const FOLDER = join(ROOT, "docs/recipes");

/** A diff block of a page. */
export const DIFF = /^```diff\n(.*?)^```$/gms;

/** What a recipe changes in one file: a diff block of its page. */
export interface Change {
  /** The file, from the root. */
  readonly file: string;
  readonly isNew: boolean;
  /** As `git apply` takes it. */
  readonly diff: string;
  /** What each hunk needs to find in the file, and its line numbers do not matter. */
  readonly before: readonly string[];
}

/** The changes of a page of `docs/recipes/`, in its order. */
export function recipeOf(name: string): readonly Change[] {
  const page = readFileSync(join(FOLDER, `${name}.md`), "utf8");
  return [...page.matchAll(DIFF)].map(([, diff = ""]) => changeOf(diff));
}

/** The names of all recipes. */
export function recipeNames(): string[] {
  const files = [...new Bun.Glob("add-*.md").scanSync(FOLDER)].sort();
  return files.map((file) => file.replace(/\.md$/, ""));
}

/** What a diff of a page changes. */
export function changeOf(page: string): Change {
  const diff = page.replace(/(?<=^\+{3} b\/(.+\/))NNNN(?=-)/m, (_, folder) => nextNumber(join(ROOT, folder)));
  const file = /^\+\+\+ b\/(.+)$/m.exec(diff)?.[1];
  if (file === undefined) throw new Error(`a diff names no file:\n${diff}`);
  const [, ...hunks] = diff.split(/^@@.*\n/m);
  return { file, isNew: diff.startsWith("--- /dev/null"), diff, before: hunks.map(beforeOf) };
}

/**
 * Why a change does not fit its file: the lines that it needs to find there once, and does not.
 *
 * @param text `undefined` where there is no such file
 */
export function misfitsOf({ file, isNew, before }: Change, text: string | undefined): string[] {
  if (isNew) return text === undefined ? [] : [`${file} exists`];
  if (text === undefined) return [`${file} is gone`];
  return before.filter((lines) => text.split(lines).length !== 2).map((lines) => `${file}:\n${lines}`);
}

/** The lines of a hunk that stand in the file before the change. */
function beforeOf(hunk: string): string {
  const lines = hunk.split("\n").filter((line) => /^[ -]/.test(line));
  return lines.map((line) => `${line.slice(1)}\n`).join("");
}

/** The number that the next migration of a folder gets. */
function nextNumber(folder: string): string {
  return numberOf(readdirSync(folder).length);
}
