import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../test/support/run-command.ts";
import type { Change } from "./recipe.ts";

const ROOT = join(import.meta.dir, "../..");
const NOT_COPIED = new Set([".git", "node_modules", "data", "dist"]);

/** Copies the repository into a folder, with its packages shared. */
export function copyRepository(folder: string): void {
  for (const name of readdirSync(ROOT).filter((name) => !NOT_COPIED.has(name))) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  }
}

/**
 * Applies the changes of a recipe, of which one line of context is enough.
 *
 * @throws Error where a change does not fit
 */
export async function apply(folder: string, changes: readonly Change[]): Promise<void> {
  const patch = join(folder, "recipe.diff");
  writeFileSync(patch, changes.map(({ diff }) => diff).join(""));
  // Without a repository around it, `git apply` changes the files of the current folder.
  const env = { GIT_CEILING_DIRECTORIES: join(folder, "..") };
  await runCommand(["git", "apply", "-C1", "recipe.diff"], { cwd: folder, env });
}
