import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { bundle } from "../../web/build/bundle.ts";
import { readFiles, readPictures } from "../../web/guides/files.ts";

const ROOT = join(import.meta.dir, "../..");
/** Where the files of an executable appear to be. */
const INSIDE = "file:///$bunfs/root";
/** Code that is loaded by its address: by a thread, or apart from the types of what loads it. */
const ADDRESS = /new URL\("(\.[^"]+\.tsx?)", import\.meta\.url\)/g;

/** The files that the executable starts by their address; each becomes a bundle of its own. */
export function loadedByAddress(): string[] {
  const sources = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: ROOT, absolute: true })];
  return sources.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(ADDRESS)].map(([, target = ""]) => resolve(file, "..", target)),
  );
}

/** Puts into the executable what the program otherwise finds in its folder. */
export async function embed(): Promise<BunPlugin> {
  const { bundle: pages } = await bundle();
  const folder = join(ROOT, "docs");
  const [guides, pictures] = await Promise.all([readFiles(folder), readPictures(folder)]);
  const replaced: Readonly<Record<string, string>> = {
    "web/build/shipped-bundle.ts": `export const shippedBundle = async () => (${JSON.stringify(pages)});`,
    "web/guides/files.ts": `export const readFiles = async () => (${JSON.stringify(guides)});
      export const readPictures = async () => (${JSON.stringify(pictures)});`,
  };
  return {
    name: "embed",
    setup(build) {
      build.onLoad({ filter: /\/(?:src|web)\/.*\.ts$/ }, ({ path }) => {
        const contents =
          replaced[relative(ROOT, path)] ?? withAddressesInside(path, readFileSync(path, "utf8"));
        return { contents, loader: "ts" };
      });
    },
  };
}

function withAddressesInside(file: string, source: string): string {
  return source.replaceAll(ADDRESS, (_, target: string) => {
    const inside = relative(ROOT, resolve(file, "..", target)).replace(/\.tsx?$/, ".js");
    return `new URL("${INSIDE}/${inside}")`;
  });
}
