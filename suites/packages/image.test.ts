import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../../scripts/executable/build.ts";
import { targetsNamed } from "../../scripts/executable/targets.ts";
import { buildImage } from "../../scripts/image/archive.ts";
import type { Architecture } from "../../scripts/image/libraries.ts";
import { imageSettings } from "../../scripts/image/settings.ts";
import { VERSION } from "../../src/system/version.ts";
import { SECRET, startReceiver } from "../../test/relay/receiver.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram, requirePrograms } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startService } from "../../test/support/service.ts";
import { until } from "../../test/support/until.ts";
import { testcontainers } from "../clients/tools.ts";
import { PARTS } from "./parts.ts";
import { Podman } from "./podman.ts";

// The container image of a release. Podman runs it, without a daemon and without a registry.

requirePrograms({ mmdebstrap: "mmdebstrap", podman: "podman", runc: "runc" });

const TIME = "1790000000";

// All of this suite's images, since each takes a while to compress.
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const images = new Map<Architecture, Promise<string>>();

/** The archive of an image, made once. */
async function archiveFor(architecture: Architecture): Promise<string> {
  const made = images.get(architecture) ?? build(architecture);
  images.set(architecture, made);
  return await made;
}

async function build(architecture: Architecture): Promise<string> {
  const [target] = targetsNamed([architecture === "amd64" ? "linux-x64" : "linux-arm64"]);
  if (!target) throw new Error(`there is no target for ${architecture}`);
  const executable = join(folder.path, architecture, "animal-store");
  await buildExecutable(target, executable);
  return await buildImage({ executable, architecture, time: TIME, revision: "0123abc" }, folder.path);
}

if (PARTS.has("the container image"))
  test(
    "the image serves without root, with nothing to write but its volume, ends by SIGTERM, and the volume keeps the data",
    async () => {
      await using podman = new Podman();
      const image = await podman.load(await archiveFor("amd64"));
      expect(image).toBe(`localhost/animal-store:${VERSION}`);
      const options = ["--volume=animals:/data", "--env=PORT=0", "--env=LOG_FORMAT=json"];

      let key = "";
      for (const [at, name] of ["first", "second"].entries()) {
        await using container = podman.start(name, options, image);
        const [, address = ""] = await container.says(/"address":"(http:[^"]+)"/);
        const inside = async (...command: string[]) =>
          await podman.do("exec", `--env=PORT=${new URL(address).port}`, name, "animal-store", ...command);
        if (at === 0) key = JSON.parse(await inside("keys", "create", "--name=test", "--json")).key;
        await inside("ready");

        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        const body = JSON.stringify({ name: `Rex ${at}`, categoryId: 1 });
        expect((await fetch(`${address}/v1/pets`, { method: "POST", headers, body })).status).toBe(201);
        const animals = await (await fetch(`${address}/v1/pets`, { headers })).json();
        expect(animals).toHaveLength(at + 1);
        expect((await fetch(`${address}/docs`)).status).toBe(200);

        await podman.do("kill", "--signal=TERM", name);
        expect(await container.exited).toBe(0);
        expect(await podman.do("inspect", "--format={{.State.ExitCode}}", name)).toBe("0\n");
      }
      const place = (await podman.do("volume", "inspect", "--format={{.Mountpoint}}", "animals")).trim();
      expect((await runCommand(["stat", "--format=%u:%g %a", place], { cwd: "/" })).stdout).toBe(
        "65532:65532 755\n",
      );

      await using sandbox = podman.start("sandbox", ["--tmpfs=/tmp"], image, "sandbox", "--port=0");
      await sandbox.says(/http:\/\/127\.0\.0\.1:[1-9]\d*/);
    },
    LONG_RUN_MS,
  );

/** The line of the guide that runs a relay in a container, in words. */
const RELAY_LINE = /^docker run ((?:.*\\\n)*.*)/m
  .exec(readFileSync(join(import.meta.dir, "../../docs/guides/webhooks.md"), "utf8"))?.[1]
  ?.replaceAll("\\\n", " ")
  .split(/ +/);

if (PARTS.has("the container image"))
  test(
    "the guide's line runs a relay without root, whose position is on its volume, and which no health check finds ill",
    async () => {
      await using service = await startService({});
      await service.store.recordEvents(true);
      using receiver = startReceiver();
      await using podman = new Podman();
      const image = await podman.load(await archiveFor("amd64"));
      const words = (RELAY_LINE ?? []).map((word) => {
        if (word === "API_KEY") return `API_KEY=${service.key}`;
        if (word === "RELAY_SECRET") return `RELAY_SECRET=${SECRET}`;
        if (word === "https://animals.example.com/v1") return `${service.address}/v1`;
        return word === "https://shop.example.com/hooks" ? receiver.url : word;
      });
      const at = words.indexOf("animal-store:VERSION");
      expect(at).toBeGreaterThan(0);
      // The test reads what it says, and its receiver is on this machine.
      const options = words.slice(0, at).filter((word) => word !== "--detach");
      const command = [...words.slice(at + 1), "--allow-private"];

      for (const [before, name] of ["first", "second"].entries()) {
        await service.create(`{"name":"${name}","categoryId":1}`);
        await using container = podman.start(name, options, image, ...command);
        await until(() => receiver.received.length > before);
        expect(await podman.do("inspect", "--format={{.State.Health.Status}}", name)).toBe("\n");
        await podman.do("kill", "--signal=TERM", name);
        expect(await container.exited).toBe(0);
      }
      expect(receiver.received.map(({ event }) => event.animal)).toMatchObject([
        { name: "first" },
        { name: "second" },
      ]);
      expect(receiver.isSound).toBe(true);
    },
    LONG_RUN_MS,
  );

/** Starts a sandbox from an image as a test does, and prints the name of its first animal. */
const IN_A_CONTAINER = `
const { GenericContainer, Wait } = require("testcontainers");
(async () => {
  const container = await new GenericContainer(process.env.IMAGE)
    .withCommand(["sandbox", "--port", "0"])
    .withNetworkMode("host")
    .withTmpFs({ "/tmp": "rw" })
    .withUlimits({ nofile: { soft: 20000, hard: 20000 }, nproc: { soft: 4096, hard: 4096 } })
    .withWaitStrategy(Wait.forLogMessage(/listening on/))
    .start();
  for await (const line of await container.logs()) {
    const [address] = /http:\\/\\/127\\.0\\.0\\.1:\\d+/.exec(line) ?? [];
    if (!address) continue;
    const headers = { authorization: "Bearer as_test_SandboxAllScopes000000000000003Gqvay" };
    const [luna] = await (await fetch(address + "/v1/pets?limit=1", { headers })).json();
    console.log(luna.name);
    break;
  }
  await container.stop();
  process.exit();
})();`;

if (PARTS.has("the container image"))
  test(
    "Testcontainers starts a sandbox from the image, and stops it",
    async () => {
      await using podman = new Podman();
      const image = await podman.load(await archiveFor("amd64"));
      const { service, address } = await podman.serve();
      await using _ = service;
      const { stdout } = await runCommand([requiredProgram("node"), "-e", IN_A_CONTAINER], {
        cwd: folder.path,
        env: {
          IMAGE: image,
          DOCKER_HOST: address,
          NODE_PATH: await testcontainers(),
          // The container with which it cleans up after a test that was killed has an image of its own, from a registry.
          TESTCONTAINERS_RYUK_DISABLED: "true",
        },
      });
      expect(stdout).toBe("Luna\n");
      expect(await podman.do("ps", "--all", "--quiet")).toBe("");
    },
    LONG_RUN_MS,
  );

if (PARTS.has("the container image"))
  test(
    "the image has the settings of deploy/Dockerfile, labels, a health check, and the list of what it contains",
    async () => {
      await using podman = new Podman();
      const image = await podman.load(await archiveFor("amd64"));
      const [{ Config, HealthCheck, Healthcheck = HealthCheck }] = JSON.parse(
        await podman.do("inspect", image),
      );
      const { Healthcheck: expectedCheck, Labels, ...settings } = imageSettings();
      expect(Config).toMatchObject(settings);
      expect(Healthcheck).toEqual(expectedCheck);
      expect(Config.Labels).toEqual({
        ...Labels,
        "org.opencontainers.image.version": VERSION,
        "org.opencontainers.image.created": new Date(Number(TIME) * 1000).toISOString(),
        "org.opencontainers.image.revision": "0123abc",
      });
      expect(Config.User).toBe("65532:65532");

      using unpacked = await unpack(podman, image);
      const files = unpacked.path;
      const contents = JSON.parse(
        readFileSync(join(files, "usr/share/doc/animal-store/animal-store.cdx.json"), "utf8"),
      );
      expect(contents.metadata.component.version).toBe(VERSION);
      const names = contents.components.map(({ name }: { name: string }) => name);
      expect(names).toContain("zod");
      expect(names).toContain("libc6");
      expect(readFileSync(join(files, "var/lib/dpkg/status.d/libc6"), "utf8")).toMatch(/^Version: 2\.36-/m);
      expect(readdirSync(join(files, "usr/bin"))).toEqual(["animal-store"]);
    },
    LONG_RUN_MS,
  );

// It is built here and runs nowhere: there is no machine to run it on.
if (PARTS.has("the container image"))
  test(
    "the image for arm64 has the program and the C library of that processor, and no other's",
    async () => {
      await using podman = new Podman();
      const image = await podman.load(await archiveFor("arm64"));
      expect(await podman.do("inspect", "--format={{.Architecture}}", image)).toBe("arm64\n");
      using unpacked = await unpack(podman, image);
      const files = unpacked.path;
      const programs = ["lib", "usr/bin"].flatMap((place) => [
        ...new Bun.Glob(`${place}/**`).scanSync({ cwd: files }),
      ]);
      expect(programs).toContain("lib/ld-linux-aarch64.so.1");
      // The number of the processor in the head of an ELF file.
      const processors = programs.map((file) => readFileSync(join(files, file)).readUInt16LE(18));
      expect(processors).toEqual(programs.map(() => 0xb7));
    },
    LONG_RUN_MS,
  );

/** The files of an image in a folder. */
async function unpack(podman: Podman, image: string): Promise<TemporaryFolder> {
  const unpacked = temporaryFolder();
  const archive = join(folder.path, "files.tar");
  await podman.do("create", "--name=unpacked", image);
  await podman.do("export", "--output", archive, "unpacked");
  await runCommand(["tar", "-xf", archive, "-C", unpacked.path], { cwd: "/" });
  return unpacked;
}
