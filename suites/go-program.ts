import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { runCommand } from "../test/support/run-command.ts";

/** Outlives a run, so that the next one downloads nothing. */
const CACHE = join(import.meta.dir, "../node_modules/.cache");

/**
 * The path of a program that Go (1.24 or newer) builds when it is first needed.
 *
 * @param module whose main package is the program, for example `github.com/oasdiff/oasdiff`
 */
export async function goProgram(module: string, version: string): Promise<string> {
  const name = basename(module);
  const folder = join(CACHE, `${name}-${version}`);
  const program = join(folder, name);
  if (!existsSync(program)) {
    if (!Bun.which("go")) throw new Error("this suite needs Go 1.24 or newer: https://go.dev/dl");
    await runCommand(["go", "install", `${module}@${version}`], {
      cwd: import.meta.dir,
      env: { GOBIN: folder },
    });
  }
  return program;
}
