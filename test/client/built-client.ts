import { join } from "node:path";
import { buildClient } from "../../scripts/client/build.ts";

/** Builds the client as it ships into `client` below a folder, and a module of this folder beside it as `NAME.js`. */
export async function buildWithProgram(folder: string, program: string): Promise<void> {
  await Bun.write(join(folder, "package.json"), '{"type":"module"}');
  await buildClient(join(folder, "client"));
  await Bun.build({ entrypoints: [join(import.meta.dir, program)], outdir: folder, target: "browser" });
}
