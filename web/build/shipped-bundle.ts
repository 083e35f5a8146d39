import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BUNDLED, type Bundle, bundle, ROOT } from "./bundle.ts";

/** `npm pack` fills this folder, and git ignores it. */
const FOLDER = join(import.meta.dir, "../dist");
/** The SHA-256 of each source file, by its path from the root of the package. */
const INPUTS = "inputs.json";

/** Bundles scripts and styles into the folder that a package brings. */
export async function writeShippedBundle(): Promise<void> {
  const { bundle: made, inputs } = await bundle();
  // Sorted, so that two builds of the same sources are the same bytes.
  const hashes = inputs.toSorted().map(async (input) => [input, await hashOf(input)] as const);
  const unfinished = `${FOLDER}.${process.pid}`;
  await Bun.write(
    join(unfinished, INPUTS),
    JSON.stringify(Object.fromEntries(await Promise.all(hashes)), null, 2),
  );
  await Promise.all(BUNDLED.map((name) => Bun.write(join(unfinished, name), made[name])));
  // A service that starts meanwhile finds the old folder, the new one or none, but never half a file.
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(unfinished, FOLDER);
}

/**
 * The bundle that the package brought, read in some 5 ms.
 *
 * @returns `undefined` if there is none, as in a clone, or if a source has changed since the build
 */
export async function shippedBundle(): Promise<Bundle | undefined> {
  try {
    const inputs: Readonly<Record<string, string>> = await Bun.file(join(FOLDER, INPUTS)).json();
    const isCurrent = Object.entries(inputs).map(async ([input, hash]) => (await hashOf(input)) === hash);
    if ((await Promise.all(isCurrent)).includes(false)) return undefined;
    const texts = BUNDLED.map(async (name) => [name, await Bun.file(join(FOLDER, name)).text()] as const);
    return Object.fromEntries(await Promise.all(texts)) as Bundle;
  } catch {
    // A file is missing: nothing was built, or a source was removed.
    return undefined;
  }
}

async function hashOf(input: string): Promise<string> {
  return Bun.CryptoHasher.hash("sha256", await Bun.file(join(ROOT, input)).bytes(), "hex");
}
