import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { apply } from "./copy.ts";
import { type Change, changeOf, misfitsOf } from "./recipe.ts";

const ROOT = join(import.meta.dir, "../..");
const BIOME = join(ROOT, "node_modules/.bin/biome");
const SOURCE = /\.tsx?$/;
/** How many lines around a change are tried: with too few, they stand in the file more than once. */
const CONTEXTS = [2, 3, 5, 8];

const LINES = /.*\n/g;
const CONFLICT = /^<{7} [^\n]*\n(.*?)^\|{7} [^\n]*\n(.*?)^={7}\n(.*?)^>{7} [^\n]*\n/ms;
const WORDS = /\w+|\s+|[^\w\s]/g;

/**
 * The diff of a recipe, made again for its file as it is now.
 *
 * @param was a text of the file that the diff fits
 * @returns `undefined` where the file and the diff change the same words, both together make what Biome calls an error, or no
 *   context tells the place of the change
 */
export async function refit(change: Change, was: string, now: string): Promise<string | undefined> {
  using folder = temporaryFolder();
  write(folder.path, change.file, was);
  await apply(folder.path, [change]);
  const changed = await Bun.file(join(folder.path, change.file)).text();
  const merged = merge([now, was, changed], LINES, (block) => merge(block, WORDS, () => undefined));
  if (merged === undefined) return undefined;
  write(join(folder.path, "a"), change.file, now);
  write(join(folder.path, "b"), change.file, formatted(change.file, merged));
  if (!isSound(change.file, join(folder.path, "b"))) return undefined;
  for (const lines of CONTEXTS) {
    const paths = [`a/${change.file}`, `b/${change.file}`];
    const diff = git(["diff", "--no-index", "--no-prefix", `-U${lines}`, ...paths], folder.path);
    const found = diff.slice(diff.indexOf("--- "));
    if (diff !== "" && misfitsOf(changeOf(found), now).length === 0) return found;
  }
  return undefined;
}

/** What is now, what was, and what the diff made of that. */
type Versions = readonly [now: string, was: string, changed: string];

/**
 * Merges two changes of a text by its units. Of what both add in one place, that of the file comes first.
 *
 * @param resolve merges a place where both change the same units
 */
function merge(
  versions: Versions,
  units: RegExp,
  resolve: (place: Versions) => string | undefined,
): string | undefined {
  using folder = temporaryFolder();
  const names = ["now", "was", "changed"];
  for (const [index, text] of versions.entries()) {
    // As JSON, no unit looks like a mark of a conflict, and each is a line.
    const coded = (text.match(units) ?? []).map((unit) => `${JSON.stringify(unit)}\n`);
    write(folder.path, names[index] as string, coded.join(""));
  }
  const merged = git(["merge-file", "-p", "--diff3", ...names], folder.path);
  const parts = merged.split(CONFLICT).map(decoded);
  const texts = parts.map((part, index) => {
    if (index % 4 === 0) return part;
    if (index % 4 !== 1) return "";
    const [now, was, changed] = parts.slice(index, index + 3) as [string, string, string];
    return was === "" ? now + changed : resolve([now, was, changed]);
  });
  return texts.includes(undefined) ? undefined : texts.join("");
}

function decoded(units: string): string {
  const lines = units.match(LINES) ?? [];
  return lines.map((line) => JSON.parse(line)).join("");
}

function write(folder: string, file: string, text: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Whether a file is no source, or one without errors, such as a name that is declared twice or a hole in an array. */
function isSound(file: string, cwd: string): boolean {
  if (!SOURCE.test(file)) return true;
  const command = [BIOME, "lint", "--diagnostic-level=error", `--config-path=${ROOT}/biome.json`, file];
  return Bun.spawnSync(command, { cwd }).exitCode === 0;
}

/** A source in the project's style; another text as it is. */
function formatted(file: string, text: string): string {
  if (!SOURCE.test(file)) return text;
  const command = [BIOME, "check", "--write", `--stdin-file-path=${file}`];
  const { exitCode, stdout } = Bun.spawnSync(command, { cwd: ROOT, stdin: Buffer.from(text) });
  return exitCode === 0 ? `${stdout}` : text;
}

/**
 * What a command of git writes.
 *
 * @throws Error if it fails; up to 127 is the number of differences or conflicts
 */
export function git(args: readonly string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd });
  if (exitCode > 127) throw new Error(`git ${args[0]}: ${stderr}`);
  return `${stdout}`;
}
