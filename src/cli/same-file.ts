import { type Stats, statSync } from "node:fs";
import { fileOfStore } from "../stores/url.ts";
import { CommandFailure } from "./errors.ts";

/** Whether two names lead to one existing file. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [statOf(one), statOf(other)];
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Opening the file will report what is wrong.
    return undefined;
  }
}

/** Refuses to write a file over the store: a mistyped name must not cost the stock. */
export function assertNotStore(file: string, url: string): void {
  const store = fileOfStore(url);
  if (store !== undefined && isSameFile(file, store)) {
    throw new CommandFailure(`${file} is the store itself; name another file.`);
  }
}
