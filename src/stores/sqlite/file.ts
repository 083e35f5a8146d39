import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { UnusableStore } from "../unusable-store.ts";

/**
 * Makes the file and its folder where they do not exist, for the owner alone: it holds a store's
 * stock. SQLite gives its companion files the same mode.
 */
export function createFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // One that exists is not opened: closing it would drop the locks of another connection of this process.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  } catch (error) {
    throw new UnusableStore(`cannot write ${file}: ${(error as Error).message}`, { cause: error });
  }
}
