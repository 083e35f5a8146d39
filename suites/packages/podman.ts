import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { until } from "../../test/support/until.ts";
import { Child } from "../../verify/child.ts";

/** What a container may need besides its image: this is all that it gets, whatever the machine allows. */
const CONFINED = [
  ...["--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--security-opt=no-new-privileges"],
  // Podman's own limits are higher than some machines allow.
  ...["--ulimit=nofile=20000:20000", "--ulimit=nproc=4096:4096"],
  // Its container ends in the end even where the run of the tests was killed.
  "--timeout=300",
];

/** Podman with images, volumes and containers of its own, without a daemon; all of it is gone with `await using`. */
export class Podman implements AsyncDisposable {
  readonly #folder: TemporaryFolder = temporaryFolder();
  /** Podman takes no path of more than 50 characters here. */
  readonly #state = mkdtempSync("/tmp/podman-");
  readonly #storage = [
    ...["--root", join(this.#folder.path, "storage"), "--runroot", this.#state],
    "--storage-driver=overlay",
  ];
  readonly #command = [
    ...[requiredProgram("podman"), ...this.#storage],
    ...["--cgroup-manager=cgroupfs", "--events-backend=none", "--runtime", requiredProgram("runc")],
  ];

  /** Runs a command of Podman to its end, and returns what it wrote. */
  async do(...command: readonly string[]): Promise<string> {
    return (await runCommand([...this.#command, ...command], { cwd: "/" })).stdout;
  }

  /** Builds an image from a Dockerfile with Buildah, whose options these are; only images that are here are its base. */
  async build(...options: readonly string[]): Promise<void> {
    const line = [
      "build",
      "--isolation=chroot",
      "--network=host",
      "--pull-never",
      "--format=docker",
      ...options,
    ];
    await runCommand([requiredProgram("buildah"), ...this.#storage, ...line], { cwd: "/" });
  }

  /** Loads the image of an archive, and returns its name. */
  async load(archive: string): Promise<string> {
    return /Loaded image: (\S+)/.exec(await this.do("load", "--quiet", "--input", archive))?.[1] ?? "";
  }

  /**
   * Starts a container that may write to its volumes alone, in the network of this machine.
   *
   * @param options of `podman run`
   */
  start(name: string, options: readonly string[], image: string, ...command: readonly string[]): Child {
    const line = ["run", "--name", name, "--network=host", ...CONFINED, ...options, image, ...command];
    return new Child([...this.#command, ...line], { cwd: "/", env: process.env });
  }

  /**
   * Serves the interface of Docker until the process that it returns is stopped.
   *
   * @returns the address, as `DOCKER_HOST` takes it
   */
  async serve(): Promise<{ readonly service: Child; readonly address: string }> {
    const socket = join(this.#state, "api.sock");
    const address = `unix://${socket}`;
    const service = new Child([...this.#command, "system", "service", "--time=0", address], {
      cwd: "/",
      env: process.env,
    });
    await until(() => existsSync(socket));
    return { service, address };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.do("rm", "--all", "--force", "--time=0");
    // Some versions mount the folder of the layers onto itself.
    const layers = join(this.#folder.path, "storage/overlay");
    await runCommand(["umount", layers], { cwd: "/" }).catch(() => undefined);
    rmSync(this.#state, { recursive: true, force: true });
    this.#folder[Symbol.dispose]();
  }
}
