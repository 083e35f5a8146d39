import { type Stats, statSync } from "node:fs";
import { claimOfStore } from "../stores/sqlite/store-files.ts";
import { CommandFailure, cannot } from "./errors.ts";

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

/** Refuses to read or write a file of any store: a mistyped name must not cost the stock. */
export function assertNotOfStore(file: string, verb: "read" | "write"): void {
  let claim: string | undefined;
  try {
    claim = claimOfStore(file);
  } catch (error) {
    throw cannot(verb, file, error);
  }
  if (claim !== undefined) throw new CommandFailure(`cannot ${verb} ${file}: ${claim}; name another file.`);
}
