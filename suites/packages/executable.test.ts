import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../../scripts/executable/build.ts";
import { TARGETS, targetsNamed } from "../../scripts/executable/targets.ts";
import { startBrowser } from "../../test/browser/browser.ts";
import { openConsole } from "../../test/browser/console.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram, requirePrograms } from "../../test/support/installed-programs.ts";
import { PROGRAM, serve, TIED } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { Child } from "../../verify/child.ts";
import { SUPERUSER } from "../fresh-machine/machine.ts";
import { BUSYBOX_PATH, makeMuslMachine } from "../fresh-machine/musl.ts";
import { shareOf } from "../share.ts";
import { PARTS } from "./parts.ts";

requirePrograms({ mmdebstrap: "mmdebstrap", python3: "python3-venv" });

const ROOT = join(import.meta.dir, "../..");

const folder = temporaryFolder();
const executable = join(folder.path, "animal-store");
beforeAll(async () => {
  const [here] = targetsNamed(["here"]);
  if (!here) throw new Error("there is no target for this platform");
  await buildExecutable(here, executable);
});
afterAll(() => folder[Symbol.dispose]());

/**
 * Makes everything read-only but the folder $1, hides our files, and becomes nobody with an empty environment. A change of
 * the user would untie the process.
 */
const ALONE = `
  mount --bind "$1" "$1" && mount -t tmpfs none "$2" && mount -o remount,bind,ro / && cd "$1" || exit 99
  shift 2
  exec setpriv --reuid 65534 --regid 65534 --clear-groups setpriv --pdeathsig KILL env -i PATH=/usr/bin:/bin TMPDIR="$PWD" ./animal-store "$@"`;

/** The command that runs the executable with nothing beside it in a folder, in which it puts it. */
function alone(folder: string, ...args: readonly string[]): string[] {
  copyFileSync(executable, join(folder, "animal-store"));
  chmodSync(folder, 0o777);
  return [...TIED, requiredProgram("unshare"), "--mount", "sh", "-c", ALONE, "sh", folder, ROOT, ...args];
}

if (PARTS.has("the executable alone"))
  describe("with nothing beside it, no file of ours, no environment, and nothing to write but its folder,", () => {
    test(
      "the executable keeps its promises",
      async () => {
        using place = temporaryFolder();
        const { stdout } = await runCommand(alone(place.path, "verify", "--minutes", "0.2"), { cwd: "/" });
        expect(stdout).toContain("Everything passed.");
      },
      LONG_RUN_MS,
    );

    test(
      "the executable serves the same pages as the program of this repository, byte for byte, and a browser shows them",
      async () => {
        using place = temporaryFolder();
        using cwd = temporaryFolder();
        // The pages name the address of the service.
        for (const { path } of [place, cwd])
          writeFileSync(join(path, ".env"), "PRODUCTION_URL=https://animals.example.com/v1\n");
        await using child = new Child(alone(place.path, "serve", "--port", "0", "--first-key", "./key"), {
          cwd: "/",
          env: {},
        });
        const address = await child.listens();
        await using service = await serve({ cwd: cwd.path, program: PROGRAM });
        const pages = await pagesAt(address);
        expect(pages.size).toBeGreaterThan(40);
        expect(pages).toEqual(await pagesAt(service.address));

        await using browser = await startBrowser();
        const key = readFileSync(join(place.path, "key"), "utf8").trim();
        const console = await openConsole(browser, { address, key });
        await console.page.getByText("No animals yet").waitFor();
        const docs = await browser.open(`${address}/docs`);
        expect([...console.problems, ...docs.problems]).toEqual([]);
      },
      LONG_RUN_MS,
    );
  });

/** Every page and asset that a service's pages lead to: its type and the hash of its bytes, by its path. */
async function pagesAt(address: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const wanted = ["/", "/docs", "/openapi.json", "/openapi.yaml"];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (found.has(path)) continue;
    const response = await fetch(address + path);
    expect([path, response.status]).toEqual([path, 200]);
    const type = response.headers.get("content-type") ?? "no type";
    const bytes = await response.bytes();
    found.set(path, `${type}, ${Bun.SHA256.hash(bytes, "hex")}`);
    if (!type.startsWith("text/html")) continue;
    for (const [, link = ""] of new TextDecoder().decode(bytes).matchAll(/(?:href|src)="([^"]+)"/g)) {
      const { origin, pathname } = new URL(link, address + path);
      if (origin === address && !pathname.startsWith("/v1")) wanted.push(pathname);
    }
  }
  return found;
}

/** Tests that start the program as its users do, which have to hold for the executable too. */
const FILES = [
  "test/durability",
  "test/workers",
  "test/commands/backup.test.ts",
  "test/commands/import.test.ts",
  "test/commands/serve.test.ts",
  "test/commands/keys.test.ts",
  "suites/faults/stop.test.ts",
  "test/http/retries.test.ts",
  "test/sandbox/command.test.ts",
  "test/service/smoke.test.ts",
  "test/service/tls.test.ts",
  "test/sqlite/sharing.test.ts",
  "test/telemetry",
  "test/postgres/start.test.ts",
];

if (PARTS.has("tests of the executable"))
  test.each(shareOf(FILES, "files of tests against the executable"))(
    "%s passes against the executable",
    async (file) => {
      const { stderr } = await runCommand([...TIED, join(ROOT, "bin/runtime"), "test", file], {
        cwd: ROOT,
        env: { TEST_PROGRAM: executable },
      });
      expect(stderr).toMatch(/\n [1-9]\d* pass\n 0 fail\n/);
    },
    LONG_RUN_MS,
  );

if (PARTS.has("the executable on musl"))
  test(
    "the executable for musl keeps its promises on a system with musl and BusyBox",
    async () => {
      using machine = await makeMuslMachine();
      const [musl] = targetsNamed(["linux-x64-musl"]);
      if (!musl) throw new Error("there is no target for musl");
      await buildExecutable(musl, join(folder.path, "animal-store-musl"));
      mkdirSync(join(machine.root, "srv"), { recursive: true });
      copyFileSync(join(folder.path, "animal-store-musl"), join(machine.root, "srv/animal-store"));
      const line = "/srv/animal-store verify --minutes 0.1";
      await using running = machine.start(SUPERUSER, "/tmp", line, { PATH: BUSYBOX_PATH });
      const { exitCode, stdout } = await running.child.ended();
      expect({ exitCode, stdout }).toEqual({
        exitCode: 0,
        stdout: expect.stringContaining("Everything passed."),
      });
      expect(running.leftovers()).toEqual([]);
    },
    LONG_RUN_MS,
  );

/** How an executable begins: the file format, and the processor at its offset. */
const BEGINNINGS: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  linux: (bytes) => ({ magic: bytes.toString("latin1", 1, 4), machine: bytes.readUInt16LE(18) }),
  darwin: (bytes) => ({ magic: bytes.toString("hex", 0, 4), machine: bytes.readUInt32LE(4) }),
};
const EXPECTED: Readonly<Record<string, unknown>> = {
  "linux-x64": { magic: "ELF", machine: 0x3e },
  "linux-arm64": { magic: "ELF", machine: 0xb7 },
  "darwin-x64": { magic: "cffaedfe", machine: 0x01000007 },
  "darwin-arm64": { magic: "cffaedfe", machine: 0x0100000c },
};

// They are built here and run nowhere: there is no machine to run them on.
if (PARTS.has("executables of other platforms"))
  test.each(TARGETS)(
    "the executable for $name is one for that system and processor",
    async (target) => {
      const [system = "", processor = ""] = target.name.split("-");
      const file = join(folder.path, `animal-store-${target.name}`);
      await buildExecutable(target, file);
      expect(BEGINNINGS[system]?.(readFileSync(file).subarray(0, 32))).toEqual(
        EXPECTED[`${system}-${processor}`],
      );
    },
    LONG_RUN_MS,
  );
