// Makes the files of a release in a folder, from the repository that this file is in. `npm run release` runs it in a copy.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/system/version.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { buildDebianPackage, DEBIAN_ARCHITECTURES } from "../debian/build.ts";
import { buildExecutable } from "../executable/build.ts";
import { targetsNamed } from "../executable/targets.ts";
import { buildImage } from "../image/archive.ts";
import { licenceTexts } from "./dependencies.ts";
import { sbom } from "./sbom.ts";
import { buildTar } from "./tar.ts";

const ROOT = join(import.meta.dir, "../..");
const [outdir = "", ...targets] = Bun.argv.slice(2);
const { SOURCE_DATE_EPOCH: time = "0", SOURCE_REVISION: revision } = process.env;

for (const workspace of [[], ["--workspace=client"]])
  await runCommand(["npm", "pack", "--silent", ...workspace, "--pack-destination", outdir], { cwd: ROOT });

await Bun.write(join(outdir, `animal-store-${VERSION}.cdx.json`), await sbom(time));

for (const target of targetsNamed(targets)) {
  const name = `animal-store-${VERSION}-${target.name}`;
  const folder = join(ROOT, "dist", name);
  mkdirSync(folder, { recursive: true });
  await buildExecutable(target, join(folder, "animal-store"));
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  await Bun.write(join(folder, "THIRD-PARTY-LICENSES.txt"), licenceTexts());
  const executable = join(folder, "animal-store");
  const architecture = DEBIAN_ARCHITECTURES[target.name];
  if (architecture) {
    await buildDebianPackage({ executable, architecture, time }, outdir);
    await buildImage({ executable, architecture, time, revision }, outdir);
  }
  const tar = `${folder}.tar`;
  await buildTar(tar, [{ folder: join(ROOT, "dist"), only: [name], owner: 0, time }]);
  await Bun.write(join(outdir, `${name}.tar.gz`), Bun.gzipSync(await Bun.file(tar).bytes(), { level: 9 }));
  rmSync(tar);
  rmSync(folder, { recursive: true });
}

const sums = readdirSync(outdir)
  .sort()
  .map(async (name) => `${await hashOf(join(outdir, name))}  ${name}\n`);
await Bun.write(join(outdir, "SHA256SUMS"), (await Promise.all(sums)).join(""));

async function hashOf(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(file).stream()) hasher.update(chunk);
  return hasher.digest("hex");
}
