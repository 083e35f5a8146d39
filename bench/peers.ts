import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where the peers are installed: they are no dependency of the service. */
export const PEERS = import.meta.dir;

export type Runtime = "node" | "bun";

export function runtimeCommand(runtime: Runtime): string[] {
  return runtime === "node" ? ["node"] : [join(PEERS, "../bin/runtime")];
}

const LOCK = join(PEERS, "package-lock.json");
const INSTALLED = join(PEERS, "node_modules/.package-lock.json");
const DRIVER = join(PEERS, "node_modules/better-sqlite3");

const INSTALL_SECONDS = 120;
const BUILD_SECONDS = 300;

/**
 * Installs the peers where they are missing or others are asked for. What cannot be had here is told, and its
 * sides are then left out.
 *
 * @param build whether to compile what comes as source, which takes a minute
 */
export async function installPeers(build: boolean, tell: (progress: string) => void): Promise<void> {
  if (!existsSync(INSTALLED) || statSync(INSTALLED).mtimeMs < statSync(LOCK).mtimeMs) {
    tell("installing the peers: npm ci in bench/ (--without-peers does without)");
    if (!(await npm(["ci", "--ignore-scripts"], INSTALL_SECONDS))) tell("the peers could not be installed");
  }
  if (build && existsSync(DRIVER) && !existsSync(join(DRIVER, "build/Release/better_sqlite3.node"))) {
    tell("fetching or compiling better-sqlite3 for this Node: npm rebuild in bench/");
    if (!(await npm(["rebuild", "better-sqlite3"], BUILD_SECONDS))) tell("better-sqlite3 could not be built");
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

/** Node's headers where they came with it: to compile against them needs no download. */
function localHeaders(): string | undefined {
  const node = Bun.which("node");
  if (node === null) return undefined;
  const { stdout } = Bun.spawnSync(["node", "-p", "process.execPath"]);
  const prefix = dirname(dirname(stdout.toString().trim()));
  return existsSync(join(prefix, "include/node/node.h")) ? prefix : undefined;
}
