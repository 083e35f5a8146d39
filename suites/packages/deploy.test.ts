import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../../scripts/executable/build.ts";
import { targetsNamed } from "../../scripts/executable/targets.ts";
import { buildImage } from "../../scripts/image/archive.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram, requirePrograms } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { Machine } from "../fresh-machine/machine.ts";
import { PARTS } from "./parts.ts";
import { Podman } from "./podman.ts";

// What deploy/ has for containers, as far as it can be tried without a registry, a Docker daemon and a cluster.

requirePrograms({ buildah: "buildah", mmdebstrap: "mmdebstrap", podman: "podman", python3: "python3-venv" });

const ROOT = join(import.meta.dir, "../..");

/** Brings Kubernetes' own schemas of its objects, of every version. */
const VALIDATOR = "kubernetes-validate==1.37.0";
/** The oldest version that the manifests are for. */
const KUBERNETES = "1.30";

if (PARTS.has("the manifests for Kubernetes"))
  test(
    "the manifests for Kubernetes have nothing that its schema does not have",
    async () => {
      using folder = temporaryFolder();
      const venv = join(folder.path, "venv");
      await runCommand([requiredProgram("python3"), "-m", "venv", venv], { cwd: "/" });
      await runCommand([join(venv, "bin/pip"), "install", "--quiet", VALIDATOR], { cwd: "/" });
      const validate = async (file: string) =>
        await runCommand(
          [join(venv, "bin/kubernetes-validate"), "--kubernetes-version", KUBERNETES, "--strict", file],
          { cwd: "/" },
        );
      const manifests = join(ROOT, "deploy/kubernetes.yaml");
      const { stdout, stderr } = await validate(manifests);
      expect(`${stdout}${stderr}`.match(/passed for resource/g)).toHaveLength(3);

      const misspelt = join(folder.path, "misspelt.yaml");
      writeFileSync(misspelt, readFileSync(manifests, "utf8").replace("maxSurge", "maxSurges"));
      await expect(validate(misspelt)).rejects.toThrow("'maxSurges' was unexpected");
    },
    LONG_RUN_MS,
  );

if (PARTS.has("the image of the Dockerfile"))
  test(
    "deploy/Dockerfile builds, from a clone, an image with the files and settings of a release's",
    async () => {
      using machine = await Machine.make("bookworm");
      await using podman = new Podman();
      // The first stage's image, made here, since no registry may be within reach: Debian 12 with Node.
      using folder = temporaryFolder();
      const base = join(folder.path, "base.tar");
      await runCommand(["tar", "-cf", base, "-C", machine.root, "."], { cwd: "/" });
      const variables = Object.entries(machine.environment).map(
        ([name, value]) => `--change=ENV ${name}=${value}`,
      );
      await podman.do("import", "--quiet", ...variables, base, "docker.io/library/node:22-bookworm-slim");

      const clone = join(folder.path, "clone");
      await runCommand(["git", "clone", "--quiet", ROOT, clone], { cwd: "/" });
      await podman.build("--tag=animal-store", `--file=${clone}/deploy/Dockerfile`, clone);

      const release = await podman.load(await imageOfRelease(folder.path));
      const [own, released] = await Promise.all(
        ["animal-store", release].map((image) => describe(podman, image)),
      );
      expect(own?.files).toEqual(released?.files);
      expect(own?.settings).toEqual(released?.settings);

      await using container = podman.start(
        "built",
        ["--volume=animals:/data", "--env=PORT=0"],
        "animal-store",
      );
      await container.says(/"msg":"listening/);
    },
    LONG_RUN_MS,
  );

/** The paths, owners and modes of an image's files, and what it says about how it is run. */
async function describe(podman: Podman, image: string): Promise<{ files: string[]; settings: object }> {
  const name = image.replaceAll(/\W/g, "-");
  using folder = temporaryFolder();
  const archive = join(folder.path, "files.tar");
  await podman.do("create", "--name", name, image);
  await podman.do("export", "--output", archive, name);
  const { stdout } = await runCommand(["tar", "--list", "--verbose", "--numeric-owner", "--file", archive], {
    cwd: "/",
  });
  const files = stdout
    .split("\n")
    .map((line) => line.split(/\s+/))
    .map(([mode, owner, , , , path]) => `${mode} ${owner} ${path}`);
  const [{ Config }] = JSON.parse(await podman.do("inspect", "--type=image", image));
  const { Labels, Env, ...settings } = Config;
  return { files: files.sort(), settings: { ...settings, Env: Env.sort() } };
}

async function imageOfRelease(outdir: string): Promise<string> {
  const [target] = targetsNamed(["linux-x64"]);
  if (!target) throw new Error("there is no target for x64");
  const executable = join(outdir, "animal-store");
  await buildExecutable(target, executable);
  return await buildImage({ executable, architecture: "amd64", time: "0" }, outdir);
}
