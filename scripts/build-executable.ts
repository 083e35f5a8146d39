// Builds the program as one file for each platform, into dist/:
//
//   bin/runtime scripts/build-executable.ts [here | all | linux-x64 …] [--outdir FOLDER]
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { VERSION } from "../src/system/version.ts";
import { buildExecutable } from "./executable/build.ts";
import { targetsNamed } from "./executable/targets.ts";

const { positionals, values } = parseArgs({
  args: Bun.argv.slice(2),
  allowPositionals: true,
  options: { outdir: { type: "string", default: join(import.meta.dir, "../dist") } },
});
for (const target of targetsNamed(positionals.length > 0 ? positionals : ["here"])) {
  const file = join(resolve(values.outdir), `animal-store-${VERSION}-${target.name}`);
  await buildExecutable(target, file);
  console.log(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB`);
}
