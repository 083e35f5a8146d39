import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A text of a source file, whose path is from the root, and its replacement. */
export interface Patch {
  readonly file: string;
  /** A text that stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/**
 * Returns a source with its text replaced.
 *
 * @throws Error where the text does not stand there exactly once: a fault that was not made proves nothing
 */
export function patched(source: string, { file, from, to }: Patch): string {
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(`stale: ${JSON.stringify(from)} stands ${parts.length - 1} times in ${file}`);
  return parts.join(to);
}

/** Replaces the text in a copy of the repository. @throws Error as `patched` does */
export function patchFile(folder: string, patch: Patch): void {
  const path = join(folder, patch.file);
  writeFileSync(path, patched(readFileSync(path, "utf8"), patch));
}
