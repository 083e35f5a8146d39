// `npm run release`: makes everything that a release publishes in dist/, from the commit that is checked out, and changes
// nothing else. `npm run release -- here` makes the executable of this platform only.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeRelease } from "./release/source.ts";

const targets = Bun.argv.slice(2);
const dist = join(import.meta.dir, "../dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await makeRelease(dist, targets.length > 0 ? targets : ["all"]);
console.log(await Bun.file(join(dist, "SHA256SUMS")).text());
