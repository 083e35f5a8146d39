import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = join(import.meta.dir, "../bin/animal-store");

/** The published document: what the program itself prints where nothing is configured. */
export function openApiFile(): string {
  // A folder where no `.env` is to be expected, since the program reads one.
  const { exitCode, stdout, stderr } = Bun.spawnSync([PROGRAM, "openapi"], { cwd: tmpdir(), env: {} });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}
