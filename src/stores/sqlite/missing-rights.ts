import { accessSync, constants, lstatSync, readlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isDiskFull } from "../disk-full.ts";
import { COMPANIONS } from "./companions.ts";

/** Explains why a store's file could not be opened or made, and what to do where that is known. */
export function whyUnusable(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isDiskFull(error)) return `its disk is full (${code}). Make room there, and try again.`;
  return missingRights(file) ?? (code === "ENOENT" ? leadsNowhere(file) : undefined) ?? message;
}

function leadsNowhere(file: string): string | undefined {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  const target = resolve(dirname(file), readlinkSync(file));
  return `it is a link to ${target}, and there is no folder ${dirname(target)}. Make the folder, or correct the link.`;
}

/**
 * Explains which right to a store's files or folder this user lacks, and what to do; `undefined` if none is missing. Even
 * readers need write access: they share the files beside the store, and may have to create them.
 */
export function missingRights(file: string): string | undefined {
  const path = resolve(file);
  for (const needed of [dirname(path), path, ...COMPANIONS.map((suffix) => path + suffix)]) {
    try {
      accessSync(needed, constants.R_OK | constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EROFS") return `${needed} is on a file system that can only be read`;
      if (code === "EACCES" || code === "EPERM") {
        return (
          `this user may not read and write ${needed}, which takes both rights to the file and to its folder. ` +
          "The service and its commands must run as a user who may"
        );
      }
    }
  }
  return undefined;
}
