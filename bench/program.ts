import { join } from "node:path";

/** This checkout. */
export const HERE = join(import.meta.dir, "..");

/** The service of a checkout, as its users start it. */
export function programOf(root: string): string {
  return join(root, "bin/animal-store");
}

export const PROGRAM = programOf(HERE);
