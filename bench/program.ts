import { join } from "node:path";

/** Ours, as its users start it. */
export const PROGRAM = join(import.meta.dir, "../bin/animal-store");
