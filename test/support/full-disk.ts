import { temporaryFolder } from "./folder.ts";

/** A mount namespace of the program's own: what is mounted there goes with it, however it ends. */
const NAMESPACE =
  process.getuid?.() === 0 ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"];

/** Put before a program: gives it a folder `disk` of 16 MB, most of them taken by a file `ballast`. */
export const WITH_SMALL_DISK = [
  ...NAMESPACE,
  "sh",
  "-c",
  `mkdir disk && mount -t tmpfs -o size=16m tmpfs disk && head -c 15M /dev/zero > disk/ballast && exec "$@"`,
  "sh",
];

/** Not every container lets even root mount. */
export function canMount(): boolean {
  if (process.platform !== "linux" || !Bun.which("unshare")) return false;
  using folder = temporaryFolder();
  return Bun.spawnSync([...WITH_SMALL_DISK, "true"], { cwd: folder.path, stderr: "ignore" }).success;
}

/** Put before a program: it may write no file beyond so many KiB, as if the disk were full there (setrlimit(2)). */
export function withFilesUpTo(kib: number): string[] {
  // Without the signal a write past the limit fails as one to a full disk does. The unit is 512 bytes.
  return ["sh", "-c", `trap '' XFSZ; ulimit -f ${kib * 2}; exec "$@"`, "sh"];
}

/** Put before a program whose files `limitFiles` will limit: without the signal a write past the limit fails as on a full disk. */
export const WITH_FILE_LIMIT = ["sh", "-c", `mkdir disk; trap '' XFSZ; exec "$@"`, "sh"];

/** Lets a running process write files up to a size in bytes. */
export function limitFiles(pid: number, bytes: number | "unlimited"): void {
  const { exitCode, stderr } = Bun.spawnSync(["prlimit", "--pid", `${pid}`, `--fsize=${bytes}:unlimited`]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}
