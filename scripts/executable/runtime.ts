import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../test/support/run-command.ts";
import type { Target } from "./targets.ts";

const ROOT = join(import.meta.dir, "../..");
/** Runtimes of other platforms outlive a build, since each is some 35 MB to fetch. */
const CACHE = join(ROOT, "node_modules/.cache/runtimes");

/**
 * The runtime of a platform: the installed runtime, or what npm fetches.
 *
 * @throws Error if what npm fetched is not what `package-lock.json` promises
 */
export async function runtimeOf({ runtime }: Target): Promise<string> {
  const installed = join(ROOT, "node_modules", runtime, "bin/bun");
  if (existsSync(installed)) return installed;
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const { version, integrity } = packages[`node_modules/${runtime}`];
  const kept = join(CACHE, `${runtime.replace("/", "-")}-${version}`);
  const program = join(kept, "package/bin/bun");
  if (existsSync(program)) return program;
  const unfinished = `${kept}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    await runCommand(["npm", "pack", "--silent", "--pack-destination", unfinished, `${runtime}@${version}`], {
      cwd: ROOT,
    });
    const [file = ""] = readdirSync(unfinished);
    const packed = await Bun.file(join(unfinished, file)).bytes();
    const hash = `sha512-${Bun.CryptoHasher.hash("sha512", packed, "base64")}`;
    if (hash !== integrity)
      throw new Error(`${runtime}@${version} is ${hash}, and package-lock.json has ${integrity}`);
    await runCommand(["tar", "-xzf", file], { cwd: unfinished });
    rmSync(kept, { recursive: true, force: true });
    renameSync(unfinished, kept);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return program;
}
