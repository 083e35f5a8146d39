import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plugin } from "bun";
import { patched } from "../../test/support/patch.ts";
import { CHECKS, type RemovedCheck } from "./checks.ts";

// Loaded before a simulation, this removes one check of the code in memory: its number is in the environment.

const number = process.env.SIMULATION_WITHOUT;
if (number !== undefined) {
  const { also = [], ...first } = CHECKS[Number(number)] as RemovedCheck;
  const sources = new Map<string, string>();
  for (const patch of [first, ...also]) {
    const path = join(import.meta.dir, "../../src/stores/postgres", patch.file);
    sources.set(path, patched(sources.get(path) ?? readFileSync(path, "utf8"), patch));
  }
  plugin({
    name: "without a check",
    setup(build) {
      for (const [path, contents] of sources) {
        const escaped = path.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
        build.onLoad({ filter: new RegExp(`^${escaped}$`) }, () => ({ contents, loader: "ts" }));
      }
    },
  });
}
