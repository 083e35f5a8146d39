import { statSync } from "node:fs";
import { fileOfStore } from "../stores/url.ts";
import { CommandFailure } from "./failure.ts";

/** Whether two names lead to one file, which exists. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

/** Refuses to write to a store what is none: whoever mistypes a name must not lose the stock. */
export function refuseStoreItself(file: string, url: string): void {
  const store = fileOfStore(url);
  if (store !== undefined && isSameFile(file, store)) {
    throw new CommandFailure(`${file} is the store itself; name another file.`);
  }
}
