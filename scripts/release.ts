// `npm run release`: makes everything that a release publishes in dist/, from the commit that is checked out, and changes
// nothing else. `npm run release -- here` makes the executable of this platform only.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { problemOfTargets, TARGETS } from "./executable/targets.ts";
import { makeRelease } from "./release/source.ts";

const targets = Bun.argv.slice(2);
// Before anything of the last release is removed.
const problem = targets.includes("--help") ? "" : problemOfTargets(targets);
if (problem !== undefined) {
  if (problem) console.error(`release: ${problem}`);
  console.log(`npm run release [-- ${TARGETS.map(({ name }) => name).join(" | ")} | here | all]`);
  process.exit(problem ? 2 : 0);
}
const dist = join(import.meta.dir, "../dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await makeRelease(dist, targets.length > 0 ? targets : ["all"]);
console.log(await Bun.file(join(dist, "SHA256SUMS")).text());
