import { copyFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";

/**
 * The C library of the image: Debian 12's, by its exact version, so that a release has the same bytes wherever it is made.
 * Debian removes a version from its archive when a newer one repairs it; then the build fails and names this line.
 */
export const LIBC_VERSION = "2.36-9+deb12u14";

/** Where Debian has the libraries of each processor, and where programs expect their loader. */
const PLACES = {
  amd64: { folder: "lib/x86_64-linux-gnu", loader: "lib64/ld-linux-x86-64.so.2" },
  arm64: { folder: "lib/aarch64-linux-gnu", loader: "lib/ld-linux-aarch64.so.1" },
} as const;

/** A processor, as Debian and the image specification call it. */
export type Architecture = keyof typeof PLACES;

/** What the program loads. It brings its own certificates, and glibc asks name servers without other libraries. */
const LIBRARIES = ["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"];
const LICENCE = "usr/share/doc/libc6/copyright";

/** Copies the C library and its licence out of a Debian 12 of this architecture. */
export function copyLibraries(architecture: Architecture, debian: string, root: string): void {
  const { folder, loader } = PLACES[architecture];
  const copy = (from: string, to = from) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(join(debian, from), join(root, to));
  };
  for (const name of LIBRARIES) copy(join(folder, name));
  copy(join(folder, basename(loader)), loader);
  copy(LICENCE);
}

/**
 * Copies the C library and its licence from Debian's archive, whose signature apt checks.
 *
 * @throws Error that says what to change where Debian has replaced the version
 */
export async function fetchLibraries(architecture: Architecture, root: string): Promise<void> {
  using folder = temporaryFolder();
  const archive = join(folder.path, "debian.tar");
  const options = ["--variant=extract", `--architectures=${architecture}`, `--include=libc6=${LIBC_VERSION}`];
  try {
    await runCommand([requiredProgram("mmdebstrap"), ...options, "bookworm", archive], { cwd: "/" });
  } catch (error) {
    if (!(error as Error).message.includes("was not found")) throw error;
    throw new Error(
      `Debian 12 no longer has libc6 ${LIBC_VERSION}: put its version into scripts/image/libraries.ts`,
    );
  }
  // Without devices, which only root may make.
  const wanted = [PLACES[architecture].folder, LICENCE].map((path) => `./${path}`);
  await runCommand(["tar", "-xf", archive, "-C", folder.path, ...wanted], { cwd: "/" });
  copyLibraries(architecture, folder.path, root);
}
