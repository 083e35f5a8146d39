import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../test/support/run-command.ts";

const VERSION = "v1.11.8";
/** Outlives a run, so that the next one downloads nothing. */
const FOLDER = join(import.meta.dir, `../../node_modules/.cache/oasdiff-${VERSION}`);

/** The path of oasdiff, which Go (1.24 or newer) builds when it is first needed. */
export async function oasdiff(): Promise<string> {
  const program = join(FOLDER, "oasdiff");
  if (!existsSync(program)) {
    if (!Bun.which("go")) throw new Error("this suite needs Go 1.24 or newer: https://go.dev/dl");
    const command = ["go", "install", `github.com/oasdiff/oasdiff@${VERSION}`];
    await runCommand(command, { cwd: import.meta.dir, env: { GOBIN: FOLDER } });
  }
  return program;
}
