import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installClientPackage } from "../../test/support/client-package.ts";
import { runCommand } from "../../test/support/run-command.ts";

const ROOT = join(import.meta.dir, "../..");

/** Makes a stranger's project with both packages, as npm makes them. Returns the path of the program's package. */
export async function makeProject(folder: string): Promise<string> {
  await installClientPackage(folder);
  await runCommand(["npm", "pack", "--silent", "--pack-destination", folder], { cwd: ROOT });
  const packed = join(folder, readdirSync(folder).find((name) => /^animal-store-\d/.test(name)) ?? "");
  const program = join(folder, "node_modules/animal-store");
  mkdirSync(program);
  await runCommand(["tar", "-xzf", packed, "--strip-components=1", "-C", program], { cwd: folder });
  // As where npm puts the dependencies of a package that has versions of its own.
  await runCommand(["ln", "-s", join(ROOT, "node_modules"), join(program, "node_modules")], { cwd: folder });
  writeFileSync(join(folder, "package.json"), "{}");
  return packed;
}
