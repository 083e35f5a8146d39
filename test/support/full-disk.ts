import { temporaryFolder } from "./folder.ts";

/** A mount namespace for the program alone: its mounts end with it, however it ends. */
export const NAMESPACE =
  process.getuid?.() === 0 ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"];

/** A prefix that gives a program a folder `disk` of 16 MB, most of which a file `ballast` takes. */
export const WITH_SMALL_DISK = [
  ...NAMESPACE,
  "sh",
  "-c",
  `mkdir disk && mount -t tmpfs -o size=16m tmpfs disk && head -c 15M /dev/zero > disk/ballast && exec "$@"`,
  "sh",
];

/** A prefix that gives a program a folder `disk` in which nothing can be written. */
export const WITH_READ_ONLY_DISK = [
  ...NAMESPACE,
  "sh",
  "-c",
  `mkdir disk && mount -t tmpfs -o ro tmpfs disk && exec "$@"`,
  "sh",
];

/** Not every container lets even root mount. */
export function canMount(): boolean {
  if (process.platform !== "linux" || !Bun.which("unshare")) return false;
  using folder = temporaryFolder();
  return Bun.spawnSync([...WITH_SMALL_DISK, "true"], { cwd: folder.path, stderr: "ignore" }).success;
}

/** A prefix that limits every file of a program to this many KiB, as if the disk were full there (setrlimit(2)). */
export function withFilesUpTo(kib: number): string[] {
  // With the signal ignored, a write past the limit fails as on a full disk. The unit is 512 bytes.
  return ["sh", "-c", `trap '' XFSZ; ulimit -f ${kib * 2}; exec "$@"`, "sh"];
}

/** A prefix for a program whose files `limitFiles` will limit: it ignores the signal, so writes fail as on a full disk. */
export const WITH_FILE_LIMIT = ["sh", "-c", `mkdir disk; trap '' XFSZ; exec "$@"`, "sh"];

/** Lets a running process write files up to a size in bytes. */
export function limitFiles(pid: number, bytes: number | "unlimited"): void {
  const { exitCode, stderr } = Bun.spawnSync(["prlimit", "--pid", `${pid}`, `--fsize=${bytes}:unlimited`]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}
