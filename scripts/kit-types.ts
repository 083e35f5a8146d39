import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CATALOGUE } from "../src/operations/catalogue.ts";

export const KIT_TYPES = "bin/sandbox.d.cts";

/** The types of the kit for tests as they are, with the names of all operations. */
export function kitTypes(): string {
  const names = CATALOGUE.map(({ id }) => `\n  | "${id}"`).join("");
  return readFileSync(join(import.meta.dir, "..", KIT_TYPES), "utf8").replace(
    /(?<=export type SandboxOperation =)[^;]+/,
    names,
  );
}
