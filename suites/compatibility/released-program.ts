import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";

const ROOT = join(import.meta.dir, "../..");
const CACHE = join(ROOT, "node_modules/.cache/released");

/** The commit of each release. */
const COMMITS = { "0.2.0": "16d691508f869f7dff591795fd99cd756d2dc344" } as const;

/**
 * Installs a released version from its commit, with the dependencies that it had.
 *
 * @returns the path of its program
 * @throws Error if the repository was cloned without its history
 */
export async function releasedProgram(version: keyof typeof COMMITS): Promise<string> {
  const folder = join(CACHE, version);
  const program = join(folder, "bin/animal-store");
  if (existsSync(program)) return program;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const archive = join(unfinished, "release.tar");
    await runCommand([requiredProgram("git"), "archive", "--output", archive, COMMITS[version]], {
      cwd: ROOT,
    });
    await runCommand(["tar", "-xf", archive, "-C", unfinished], { cwd: ROOT });
    rmSync(archive);
    await runCommand(["npm", "ci", "--omit=dev", "--no-audit", "--no-fund"], { cwd: unfinished });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return program;
}
