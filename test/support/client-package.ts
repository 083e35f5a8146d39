import { cpSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "../../scripts/client/build.ts";
import { temporaryFolder } from "./folder.ts";
import { runCommand } from "./run-command.ts";

const ROOT = join(import.meta.dir, "../..");

/**
 * Packs the client as npm does and installs it into an empty project.
 * @returns the path of the packed file
 */
export async function installClientPackage(folder: string): Promise<string> {
  // A copy, since other tests may be packing the program, which builds the client in its place too.
  using copy = temporaryFolder();
  cpSync(join(ROOT, "client"), copy.path, { recursive: true });
  await buildClient(join(copy.path, "dist"));
  const packing = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  await runCommand(packing, { cwd: copy.path });
  const [name = ""] = [...new Bun.Glob("animal-store-client-*.tgz").scanSync(folder)];
  await Bun.write(join(folder, "package.json"), '{"type":"module"}');
  const quietly = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await runCommand(["npm", "install", ...quietly, `./${name}`], { cwd: folder });
  return join(folder, name);
}

/** A program that uses the client, for any runtime. */
export const CLIENT_PROGRAM = `import { AnimalNotFoundError, AnimalStore } from "@animal-store/client";
const store = AnimalStore.fromEnv();
const rex = await store.pets.create({ name: "Rex", categoryId: 9223372036854775807n });
const error = await store.pets.get(77n).catch((error) => error);
console.log(rex.categoryId, error instanceof AnimalNotFoundError);
`;
