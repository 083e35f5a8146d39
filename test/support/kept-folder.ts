import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const NODE_MODULES = join(import.meta.dir, "../../node_modules");

/**
 * Makes a folder that takes long to make, once: it stays until the next `npm ci`. Any process of any run may read it, and
 * none may change it.
 *
 * @param name names the folder and all that its content depends on, for example a version
 * @returns its path; `undefined` if this process may not write where it would stay
 */
export async function keptFolder(
  name: string,
  make: (into: string) => Promise<unknown>,
): Promise<string | undefined> {
  const kept = join(NODE_MODULES, ".cache", name);
  if (existsSync(kept)) return kept;
  if (!isWritable(NODE_MODULES)) return undefined;
  const own = `${kept}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  try {
    await make(own);
    renameSync(own, kept);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    // Unless another process was faster.
    if (!existsSync(kept)) throw error;
  }
  return kept;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
