import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/**
 * Builds the client into a folder, which it empties first: `main.js`, and `main.d.ts` with the files that it names. The folder
 * `cjs` has the same as a CommonJS module, for Jest, older Node and programs that call `require`.
 */
export async function buildClient(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await bundle(folder, "esm");
  const commonJs = join(folder, "cjs");
  await bundle(commonJs, "cjs");
  await declare(folder);
  // The compiler reads a declaration as a module of the form that the nearest package.json names.
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".d.ts"))) {
    copyFileSync(join(folder, name), join(commonJs, name));
  }
  await Bun.write(join(commonJs, "package.json"), '{"type":"commonjs"}\n');
}

async function bundle(folder: string, format: "esm" | "cjs"): Promise<void> {
  await Bun.build({
    entrypoints: [join(ROOT, "client/main.ts")],
    outdir: folder,
    target: "browser",
    format,
    sourcemap: "linked",
    // Names stay, so that a stack trace can be read.
    minify: { whitespace: true, syntax: true, identifiers: false },
  });
  // A number by which a service for crash reports would find the map: the file names it anyway.
  const script = Bun.file(join(folder, "main.js"));
  await Bun.write(script, (await script.text()).replace(/^\/\/# debugId=.*\n/m, ""));
  // In the package, the sources themselves stand above the folder.
  const map = Bun.file(join(folder, "main.js.map"));
  const { sourcesContent: _, sources, ...rest } = await map.json();
  const up = format === "esm" ? ".." : "../..";
  const above = sources.map((source: string) => `${up}/${basename(source)}`);
  await Bun.write(map, JSON.stringify({ ...rest, sources: above }));
}

async function declare(folder: string): Promise<void> {
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder];
  const compiler = Bun.spawnSync([
    join(ROOT, "node_modules/.bin/tsc"),
    "-p",
    join(ROOT, "client"),
    ...options,
  ]);
  if (compiler.exitCode !== 0) throw new Error(`tsc: ${compiler.stdout}${compiler.stderr}`);
}
