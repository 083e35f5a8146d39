import { rmSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Builds the client into a folder, which it empties first: `main.js`, and `main.d.ts` with the files that it names. */
export async function buildClient(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await Bun.build({
    entrypoints: [join(ROOT, "client/main.ts")],
    outdir: folder,
    target: "browser",
    format: "esm",
    sourcemap: "linked",
    // Names stay, so that a stack trace can be read.
    minify: { whitespace: true, syntax: true, identifiers: false },
  });
  // In the package, the sources themselves stand above the folder.
  const map = Bun.file(join(folder, "main.js.map"));
  const { sourcesContent: _, sources, ...rest } = await map.json();
  const above = sources.map((source: string) => `../${basename(source)}`);
  await Bun.write(map, JSON.stringify({ ...rest, sources: above }));
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder];
  const compiler = Bun.spawnSync([
    join(ROOT, "node_modules/.bin/tsc"),
    "-p",
    join(ROOT, "client"),
    ...options,
  ]);
  if (compiler.exitCode !== 0) throw new Error(`tsc: ${compiler.stdout}${compiler.stderr}`);
}
