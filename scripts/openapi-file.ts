import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = join(import.meta.dir, "../bin/animal-store");

/** The published document: what the program prints without any configuration. */
export function openApiFile(): string {
  // A folder without a `.env`, which the program would read.
  const { exitCode, stdout, stderr } = Bun.spawnSync([PROGRAM, "openapi"], { cwd: tmpdir(), env: {} });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}
