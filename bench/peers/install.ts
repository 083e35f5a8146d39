import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where the npm packages of the peers are installed: the service does not depend on them. */
export const PEERS = join(import.meta.dir, "..");

export type Runtime = "node" | "bun";

export function runtimeCommand(runtime: Runtime): string[] {
  return runtime === "node" ? ["node"] : [join(PEERS, "../bin/runtime")];
}

const LOCK = join(PEERS, "package-lock.json");
/** Holds the digest of the lock file that the installed packages came from. */
const INSTALLED = join(PEERS, "node_modules/.digest-of-lock");
const DRIVER = join(PEERS, "node_modules/better-sqlite3");

const INSTALL_SECONDS = 120;
const BUILD_SECONDS = 300;

/**
 * Installs the npm packages of the peers when they are missing or their lock file has changed. A package that cannot be
 * installed is logged, and its sides are left out.
 *
 * @param build whether to compile better-sqlite3, which takes a minute
 */
export async function installPeers(build: boolean, log: (progress: string) => void): Promise<void> {
  const digest = new Bun.CryptoHasher("sha256").update(readFileSync(LOCK)).digest("hex");
  if (!existsSync(INSTALLED) || readFileSync(INSTALLED, "utf8") !== digest) {
    log("installing the peers: npm ci in bench/ (--without-peers does without)");
    if (await npm(["ci", "--ignore-scripts"], INSTALL_SECONDS)) writeFileSync(INSTALLED, digest);
    else log("the peers could not be installed");
  }
  if (build && existsSync(DRIVER) && !existsSync(join(DRIVER, "build/Release/better_sqlite3.node"))) {
    log("fetching or compiling better-sqlite3 for this Node: npm rebuild in bench/");
    if (!(await npm(["rebuild", "better-sqlite3"], BUILD_SECONDS))) log("better-sqlite3 could not be built");
  }
}

/** Returns whether it succeeded in time. */
async function npm(args: readonly string[], seconds: number): Promise<boolean> {
  const { npm_config_nodedir = localHeaders(), ...env } = process.env;
  const child = Bun.spawn(["npm", ...args], {
    cwd: PEERS,
    env: { ...env, ...(npm_config_nodedir && { npm_config_nodedir }) },
    stdin: "ignore",
    stdout: Bun.file("/dev/stderr"),
    stderr: "inherit",
    timeout: seconds * 1000,
  });
  return (await child.exited) === 0;
}

/** The folder of Node's headers, if they came with it: compiling against them needs no download. */
function localHeaders(): string | undefined {
  const node = Bun.which("node");
  if (node === null) return undefined;
  const { stdout } = Bun.spawnSync(["node", "-p", "process.execPath"]);
  const prefix = dirname(dirname(stdout.toString().trim()));
  return existsSync(join(prefix, "include/node/node.h")) ? prefix : undefined;
}
