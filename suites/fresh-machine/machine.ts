import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { TIED } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { Child } from "../../verify/child.ts";

const ROOT = join(import.meta.dir, "../..");
/** Machines outlive a run, as tar files, so that the next one downloads nothing. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "animal-store-tests");

/** What npm needs of this machine to reach its registry: configuration, proxies and certificates. */
const PASSED_ON = /^(?:npm_config_\w+|(?:https?|no|all)_proxy|node_extra_ca_certs|ssl_cert_file)$/i;
/** Places on this machine, which `npm run` sets. */
const PLACES =
  /^npm_config_(?:cache|globalconfig|userconfig|(?:local_|global_)?prefix|init_module|node_gyp|nodedir|user_agent)$/i;

/** Who runs a line on a machine. */
export interface User {
  readonly name: string;
  readonly id: number;
  readonly home: string;
}

export const SUPERUSER: User = { name: "root", id: 0, home: "/root" };
export const USER: User = { name: "tester", id: 1000, home: "/home/tester" };

/** A line that runs on a machine. */
export interface Running extends AsyncDisposable {
  readonly child: Child;
  /** What it left behind, as seen from outside, once it has ended: processes, shared memory and files, each named. */
  leftovers(): string[];
}

/**
 * A Debian with Node and npm and nothing else: its packages are those that Debian itself cannot do without, and
 * certificates. It is gone with `using`.
 */
export class Machine implements Disposable {
  readonly #folder = temporaryFolder();
  /** The variables by which npm reaches its registry there. */
  readonly environment: Record<string, string> = {};
  /** Its files. */
  readonly root = join(this.#folder.path, "root");

  private constructor() {}

  /**
   * @param release of Debian
   * @param packages besides the essential ones
   */
  static async make(release: string, packages: readonly string[] = []): Promise<Machine> {
    if (process.getuid?.() !== 0) throw new Error("this suite needs root, to make a machine and to enter it");
    const machine = new Machine();
    mkdirSync(machine.root);
    const files = await cached(`${release}-${[...packages].join("-")}`, release, packages);
    await runHere("tar", "-xpf", files, "--numeric-owner", "-C", machine.root);
    await machine.#takeNode();
    await machine.#takeConfiguration();
    for (const { name, id, home } of [USER]) {
      writeFileSync(join(machine.root, "etc/passwd"), `${name}:x:${id}:${id}::${home}:/bin/sh\n`, {
        flag: "a",
      });
      writeFileSync(join(machine.root, "etc/group"), `${name}:x:${id}:\n`, { flag: "a" });
      await runHere("install", "-d", "-o", `${id}`, "-g", `${id}`, join(machine.root, home));
    }
    return machine;
  }

  /** Clones the commit that is checked out here into a folder of the machine, which then belongs to a user. */
  async clone(user: User, folder: string): Promise<void> {
    await runHere("git", "clone", "--quiet", "--no-hardlinks", ROOT, join(this.root, folder));
    await runHere("chown", "-R", `${user.id}:${user.id}`, join(this.root, user.home));
  }

  /**
   * Starts a line for the shell.
   *
   * @param env besides HOME, PATH and what npm needs
   */
  start(user: User, folder: string, line: string, env: Record<string, string> = {}): Running {
    const folderOfRun = temporaryFolder();
    const leftovers = join(folderOfRun.path, "leftovers");
    const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    const variables = Object.entries({ HOME: user.home, PATH, ...this.environment, ...env });
    const inside = [
      "cd",
      quoted(folder),
      "&& exec env -i",
      ...variables.map(([name, value]) => quoted(`${name}=${value}`)),
      "sh -c",
      // Its output in one stream, in order.
      quoted(`{ ${line}; } 2>&1`),
    ].join(" ");
    const child = new Child(
      [
        ...[...TIED, "unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child"],
        ...[join(import.meta.dir, "enter"), this.root, `${user.id}:${user.id}`, leftovers, inside],
      ],
      { cwd: "/", env: process.env },
    );
    return {
      child,
      leftovers: () => readFileSync(leftovers, "utf8").split("\n").filter(Boolean),
      async [Symbol.asyncDispose]() {
        await child[Symbol.asyncDispose]();
        folderOfRun[Symbol.dispose]();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }

  /** Adds a line to npm's configuration, for every user. */
  configureNpm(line: string): void {
    writeFileSync(join(this.root, "usr/local/etc/npmrc"), `${line}\n`, { flag: "a" });
  }

  async #takeNode(): Promise<void> {
    const { stdout } = await runHere(requiredProgram("node"), "-p", "process.execPath");
    const local = join(this.root, "usr/local");
    cpSync(realpathSync(stdout.trim()), join(local, "bin/node"));
    // The program npm is a link into its package.
    const npm = dirname(dirname(realpathSync(requiredProgram("npm"))));
    await runHere("mkdir", "-p", join(local, "lib/node_modules"), join(local, "etc"));
    await runHere("cp", "-R", npm, join(local, "lib/node_modules/npm"));
    for (const name of ["npm", "npx"])
      await runHere("ln", "-s", `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, "bin", name));
  }

  /** npm's configuration and certificates, wherever they come from, and how names are resolved. */
  async #takeConfiguration(): Promise<void> {
    const configured = async (name: string) =>
      (await runHere(requiredProgram("npm"), "config", "get", name)).stdout.trim();
    const files = { userconfig: "", globalconfig: "" };
    for (const name of ["userconfig", "globalconfig"] as const) {
      const path = await configured(name);
      if (existsSync(path)) files[name] = readFileSync(path, "utf8");
    }
    this.configureNpm(`${files.globalconfig}\n${files.userconfig}`);
    const named = [...`${files.userconfig}${files.globalconfig}`.matchAll(/\$\{(\w+)\}/g)].map(
      ([, name]) => name,
    );
    for (const [name, value = ""] of Object.entries(process.env))
      if ((PASSED_ON.test(name) && !PLACES.test(name)) || named.includes(name))
        this.environment[name] = value;
    const certificates = [
      await configured("cafile"),
      process.env.NODE_EXTRA_CA_CERTS,
      process.env.SSL_CERT_FILE,
    ];
    for (const file of ["/etc/resolv.conf", "/etc/hosts", ...certificates]) {
      if (!file || !existsSync(file)) continue;
      await runHere("mkdir", "-p", join(this.root, dirname(file)));
      await runHere("cp", "-L", "--remove-destination", file, join(this.root, file));
    }
  }
}

/** The tar file of a minimal Debian: of several that want it at once, one makes it. */
async function cached(name: string, release: string, packages: readonly string[]): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const kept = join(CACHE, `${name}.tar`);
  const included = ["ca-certificates", ...packages].join(",");
  const make = [requiredProgram("mmdebstrap"), "--variant=minbase", `--include=${included}`, release];
  const unlessKept = 'test -e "$0" || { "$@" "$0.tar" && mv "$0.tar" "$0"; }';
  await runHere("flock", `${kept}.lock`, "sh", "-c", unlessKept, kept, ...make);
  return kept;
}

export async function runHere(...command: string[]): Promise<{ stdout: string }> {
  return await runCommand(command, { cwd: "/" });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
