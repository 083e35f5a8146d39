import { rmSync } from "node:fs";
import { join } from "node:path";
import { BUNDLED, type Bundle, bundle, ROOT } from "./bundle.ts";

/** `npm pack` fills this folder, and git ignores it. */
const FOLDER = join(import.meta.dir, "../dist");
/** The SHA-256 of each file that the bundle was made of, by its path from the root of the package. */
const INPUTS = join(FOLDER, "inputs.json");

/** Bundles scripts and styles into the folder that a package brings. */
export async function writeShippedBundle(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  const { bundle: made, inputs } = await bundle();
  await Promise.all(BUNDLED.map((name) => Bun.write(join(FOLDER, name), made[name])));
  const hashes = inputs.map(async (input) => [input, await hashOf(input)] as const);
  // Last, since its presence says that the rest is whole.
  await Bun.write(INPUTS, JSON.stringify(Object.fromEntries(await Promise.all(hashes)), null, 2));
}

/**
 * The bundle that the package brought, read in some 5 ms.
 *
 * @returns `undefined` where there is none, as in a clone, or where a source has changed since it was made
 */
export async function shippedBundle(): Promise<Bundle | undefined> {
  const inputs = Bun.file(INPUTS);
  if (!(await inputs.exists())) return undefined;
  const isCurrent = Object.entries<string>(await inputs.json()).map(
    async ([input, hash]) => (await hashOf(input).catch(() => undefined)) === hash,
  );
  if ((await Promise.all(isCurrent)).includes(false)) return undefined;
  const texts = BUNDLED.map(async (name) => [name, await Bun.file(join(FOLDER, name)).text()] as const);
  return Object.fromEntries(await Promise.all(texts)) as Bundle;
}

async function hashOf(input: string): Promise<string> {
  return Bun.CryptoHasher.hash("sha256", await Bun.file(join(ROOT, input)).bytes(), "hex");
}
