import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = join(import.meta.dir, "../bin/animal-store");

/**
 * The document as the program prints it: the published one without any configuration, or the one of a service that offers
 * every operation.
 */
export function openApiFile(env: { readonly STABILITY?: "experimental" } = {}): string {
  // A folder without a `.env`, which the program would read.
  const { exitCode, stdout, stderr } = Bun.spawnSync([PROGRAM, "openapi"], { cwd: tmpdir(), env });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}
