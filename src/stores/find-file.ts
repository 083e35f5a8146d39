import { type Stats, statSync } from "node:fs";

/**
 * Looks for a file; `undefined` if there is none. `existsSync` says no as well if this user may not enter the file's folder.
 *
 * @param stat `lstatSync` to look at a symbolic link itself
 * @throws stat(2)'s error if that is unknown
 */
export function findFile(path: string, stat: (path: string) => Stats = statSync): Stats | undefined {
  try {
    return stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
