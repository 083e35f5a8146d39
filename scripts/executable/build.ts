import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { embed, loadedByAddress } from "./embed.ts";
import { runtimeOf } from "./runtime.ts";
import type { Target } from "./targets.ts";

const ROOT = join(import.meta.dir, "../..");

/**
 * Makes a single file of the program, its runtime, pages and guides. The same sources give the same bytes.
 *
 * @throws AggregateError if a source has an error
 */
export async function buildExecutable(target: Target, outfile: string): Promise<void> {
  mkdirSync(dirname(outfile), { recursive: true });
  await Bun.build({
    entrypoints: [join(ROOT, "src/main.ts"), ...loadedByAddress()],
    root: ROOT,
    target: "bun",
    format: "esm",
    minify: true,
    // Compiled ahead of time: the program starts in half the time.
    bytecode: true,
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [await embed()],
    compile: {
      target: target.platform,
      executablePath: await runtimeOf(target),
      outfile,
      // Settings come from src/config alone, never from what the current folder happens to have.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
}
