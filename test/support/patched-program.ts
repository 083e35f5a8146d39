import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files } from "../../package.json";

const ROOT = join(import.meta.dir, "../..");
/** What the package has: files and folders directly in the repository. */
const PARTS = new Set([
  "package.json",
  ...files.filter((name) => !name.startsWith("!")).map((name) => name.split("/")[0] as string),
]);

/** A text of a source file, whose path is from the root, and its replacement. */
export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Copies the program into a folder, with texts of its source replaced, and returns the copy's path.
 *
 * @throws where a text does not stand there exactly once: a fault that was not made proves nothing
 */
export function patchedProgram(folder: string, patches: readonly Patch[]): string {
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const { file, from, to } of patches) {
    const path = join(folder, file);
    const parts = readFileSync(path, "utf8").split(from);
    if (parts.length !== 2)
      throw new Error(`${JSON.stringify(from)} stands ${parts.length - 1} times in ${file}`);
    writeFileSync(path, parts.join(to));
  }
  return join(folder, "bin/animal-store");
}
