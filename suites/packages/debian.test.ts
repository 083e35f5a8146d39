import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDebianPackage, DEBIAN_ARCHITECTURES } from "../../scripts/debian/build.ts";
import { buildExecutable } from "../../scripts/executable/build.ts";
import { targetsNamed } from "../../scripts/executable/targets.ts";
import { VERSION } from "../../src/system/version.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram, requirePrograms } from "../../test/support/installed-programs.ts";
import { signalAll, treeOf } from "../../test/support/processes.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { Machine, SUPERUSER } from "../fresh-machine/machine.ts";
import { PARTS } from "./parts.ts";

requirePrograms({ lintian: "lintian", mmdebstrap: "mmdebstrap" });

const PROGRAM = "usr/bin/animal-store";
const SETTINGS = "etc/animal-store/animal-store.env";
const UNIT = "usr/lib/systemd/system/animal-store.service";
/** What systemd makes of a service that starts with the machine. */
const ENABLED = "/etc/systemd/system/multi-user.target.wants/animal-store.service";
const STORE = "var/lib/animal-store/animal-store.db";
/** As the packaged user, in the service's folder. */
const AS_USER =
  "cd /var/lib/animal-store && exec setpriv --reuid animal-store --regid animal-store --clear-groups";

if (PARTS.has("the Debian package")) testPackage();

// Each test begins where the one before ended: the life of a package on a machine.
function testPackage(): void {
  const folder = temporaryFolder();
  let machine: Machine;
  /** The package, and one of an earlier version with the same contents, on this machine. */
  let built: string;
  let earlier: string;

  beforeAll(async () => {
    machine = await Machine.make("bookworm");
    const [target] = targetsNamed(["here"]);
    const architecture = DEBIAN_ARCHITECTURES[target?.name ?? ""];
    if (!target || !architecture) throw new Error("this suite needs Debian on x64 or arm64");
    const executable = join(folder.path, "animal-store");
    await buildExecutable(target, executable);
    built = await buildDebianPackage({ executable, architecture, time: "1790000000" }, folder.path);
    earlier = await withVersion("0.0.1", built);
    for (const [file, name] of [
      [built, "animal-store.deb"],
      [earlier, "earlier.deb"],
    ] as const)
      copyFileSync(file, join(machine.root, "srv", name));
  }, LONG_RUN_MS);
  afterAll(() => {
    machine?.[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  async function withVersion(version: string, file: string): Promise<string> {
    const tree = join(folder.path, "tree");
    mkdirSync(tree);
    await runCommand(["dpkg-deb", "--raw-extract", file, tree], { cwd: "/" });
    const control = join(tree, "DEBIAN/control");
    writeFileSync(control, readFileSync(control, "utf8").replace(/^Version: .*$/m, `Version: ${version}`));
    const result = join(folder.path, "earlier.deb");
    await runCommand(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, result], { cwd: "/" });
    return result;
  }

  /** Runs a line on the machine to its end, and expects that it succeeds and leaves nothing behind. */
  async function runs(line: string): Promise<string> {
    await using running = machine.start(SUPERUSER, "/", line, { DEBIAN_FRONTEND: "noninteractive" });
    const { exitCode, stdout } = await running.child.ended();
    expect([exitCode, stdout, running.leftovers()]).toEqual([0, stdout, []]);
    return stdout;
  }

  /** The ids of the animals that the installed service lists for a new key. */
  async function listed(): Promise<number[]> {
    const key = JSON.parse(
      await runs(`${AS_USER} animal-store keys create --name test --json 2>/dev/null`),
    ).key;
    const env = { PORT: "0", METRICS_PORT: "0" };
    await using running = machine.start(SUPERUSER, "/", `${AS_USER} animal-store serve`, env);
    const [address] = await running.child.says(/http:\/\/127\.0\.0\.1:\d+(?=\/?"|\/v1)/);
    const response = await fetch(`${address}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    const animals = (await response.json()) as { id: number }[];
    signalAll(
      treeOf(running.child.pid).filter((pid) => treeOf(pid).length === 1),
      "SIGTERM",
    );
    expect(await running.child.exited).toBe(0);
    return animals.map(({ id }) => id);
  }

  const has = (path: string) => existsSync(join(machine.root, path));

  test(
    "the package has no error that lintian finds",
    async () => {
      await runCommand([requiredProgram("lintian"), "--allow-root", "--fail-on", "error", built], {
        cwd: "/",
      });
    },
    LONG_RUN_MS,
  );

  test("the package installs without systemd: user, folders, settings, unit and completions", async () => {
    await runs("dpkg --install /srv/earlier.deb");
    const paths = `/var/lib/animal-store /var/backups/animal-store /${SETTINGS}`;
    expect(await runs(`stat --format '%U:%G %a %n' ${paths}`)).toBe(
      "animal-store:animal-store 700 /var/lib/animal-store\n" +
        "animal-store:animal-store 700 /var/backups/animal-store\n" +
        `root:animal-store 640 /${SETTINGS}\n`,
    );
    expect(await runs(`readlink ${ENABLED}`)).toEndWith("/lib/systemd/system/animal-store.service\n");
    expect(await runs("getent passwd animal-store")).toMatch(
      /:\/var\/lib\/animal-store:\/usr\/sbin\/nologin\n$/,
    );
    expect(
      await runs(
        "bash -c '. /usr/share/bash-completion/completions/animal-store && complete -p animal-store'",
      ),
    ).toContain("animal-store");
    const forShells = [
      "usr/share/zsh/vendor-completions/_animal-store",
      "usr/share/fish/vendor_completions.d/animal-store.fish",
    ];
    expect([...forShells, "usr/share/man/man1/animal-store.1.gz"].filter((path) => !has(path))).toEqual([]);
  });

  test("the unit names the program and the settings where the package puts them", () => {
    const unit = readFileSync(join(machine.root, UNIT), "utf8");
    expect(unit).toContain(`\nExecStart=/${PROGRAM} serve\n`);
    expect(unit).toContain(`\nEnvironmentFile=-/${SETTINGS}\n`);
    expect([has(PROGRAM), has(SETTINGS)]).toEqual([true, true]);
  });

  test("the installed service serves, and its commands have its settings", async () => {
    await runs(`${AS_USER} animal-store seed --count 3 --quiet`);
    expect(await listed()).toHaveLength(3);
    expect(has(STORE)).toBe(true);
  });

  test("an upgrade keeps settings that were changed, the data and a service that was disabled", async () => {
    writeFileSync(join(machine.root, SETTINGS), "RATE_LIMIT=100/s\n", { flag: "a" });
    // As `systemctl disable` does.
    await runs(`rm ${ENABLED}`);
    await runs("dpkg --install /srv/animal-store.deb");
    expect(await runs("dpkg-query --show animal-store")).toBe(`animal-store\t${VERSION}\n`);
    expect(readFileSync(join(machine.root, SETTINGS), "utf8")).toEndWith("RATE_LIMIT=100/s\n");
    expect(await runs(`${AS_USER} animal-store config`)).toMatch(/RATE_LIMIT +100\/s/);
    await runs(`[ ! -L ${ENABLED} ]`);
    expect(await listed()).toHaveLength(3);
  });

  test("a second installation of the same package changes nothing", async () => {
    await runs("dpkg --install /srv/animal-store.deb");
    expect(await listed()).toHaveLength(3);
  });

  test("a removal keeps data and settings, and a new installation finds them", async () => {
    await runs("dpkg --remove animal-store");
    expect([has(PROGRAM), has(UNIT), has(SETTINGS), has(STORE)]).toEqual([false, false, true, true]);
    await runs("dpkg --install /srv/animal-store.deb");
    expect(await listed()).toHaveLength(3);
  });

  test("a purge removes everything but the data, and says where they are", async () => {
    const before = readFileSync(join(machine.root, STORE));
    const output = await runs("dpkg --purge animal-store");
    expect(output).toContain(
      "the data in /var/lib/animal-store stays; to remove it too: rm -r /var/lib/animal-store",
    );
    expect(["etc/animal-store", "var/backups/animal-store", PROGRAM].filter(has)).toEqual([]);
    expect(readFileSync(join(machine.root, STORE)).equals(before)).toBe(true);
    expect(await runs("find /etc /usr /var/lib/systemd -name '*animal-store*'")).toBe("");
    await runs("dpkg --install /srv/animal-store.deb");
    expect(await listed()).toHaveLength(3);
  });

  test("a purge without data leaves no folder", async () => {
    await runs("rm -r /var/lib/animal-store && dpkg --purge animal-store");
    expect(["var/lib/animal-store", "var/backups/animal-store"].filter(has)).toEqual([]);
  });
}
