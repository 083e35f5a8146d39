import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { files } from "../../package.json";
import { type Patch, patchFile } from "./patch.ts";

const ROOT = join(import.meta.dir, "../..");
/** What the package has: files and folders directly in the repository. */
const PARTS = new Set([
  "package.json",
  ...files.filter((name) => !name.startsWith("!")).map((name) => name.split("/")[0] as string),
]);

/**
 * Copies the program into a folder, with texts of its source replaced, and returns the copy's path.
 *
 * @throws where a text does not stand there exactly once: a fault that was not made proves nothing
 */
export function patchedProgram(folder: string, patches: readonly Patch[]): string {
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const patch of patches) patchFile(folder, patch);
  return join(folder, "bin/animal-store");
}
