import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { runCommand } from "../../test/support/run-command.ts";

const ROOT = join(import.meta.dir, "../..");

/** A commit as it was checked in, beside the installed packages, gone with `using`. */
interface CheckedIn extends Disposable {
  readonly path: string;
  /** When it was committed, in seconds since 1970: the time of everything that is made of it. */
  readonly time: string;
  /** Its hash. */
  readonly revision: string;
}

/** Copies HEAD, so that a release holds what was committed, and making it changes nothing else. */
async function checkedIn(): Promise<CheckedIn> {
  const folder = temporaryFolder();
  const path = join(folder.path, "animal-store");
  mkdirSync(path);
  const archive = join(folder.path, "head.tar");
  await runCommand(["git", "archive", "--output", archive, "HEAD"], { cwd: ROOT });
  await runCommand(["tar", "-xf", archive, "-C", path], { cwd: ROOT });
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  const { stdout } = await runCommand(["git", "log", "-1", "--format=%ct %H"], { cwd: ROOT });
  const [time = "", revision = ""] = stdout.trim().split(" ");
  return { path, time, revision, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/**
 * Makes the files of a release from the commit that is checked out.
 *
 * @param targets names of executables
 */
export async function makeRelease(outdir: string, targets: readonly string[]): Promise<void> {
  using source = await checkedIn();
  const maker = join(source.path, "scripts/release/make.ts");
  await runCommand([join(source.path, "bin/runtime"), maker, outdir, ...targets], {
    cwd: source.path,
    env: { SOURCE_DATE_EPOCH: source.time, SOURCE_REVISION: source.revision },
  });
}
