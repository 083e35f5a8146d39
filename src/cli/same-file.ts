import { type Stats, statSync } from "node:fs";
import { fileOfStore } from "../stores/url.ts";
import { CommandFailure } from "./errors.ts";

/** Whether two names lead to one file, which exists. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [lookAt(one), lookAt(other)];
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Whoever opens it will say what is wrong.
    return undefined;
  }
}

/** Refuses to write to a store what is none: whoever mistypes a name must not lose the stock. */
export function refuseStoreItself(file: string, url: string): void {
  const store = fileOfStore(url);
  if (store !== undefined && isSameFile(file, store)) {
    throw new CommandFailure(`${file} is the store itself; name another file.`);
  }
}
