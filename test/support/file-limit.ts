/** Without the signal a write past the limit fails as one to a full disk does (setrlimit(2)). */
export const WITHOUT_SIGNAL = ["sh", "-c", `mkdir disk; trap '' XFSZ; exec "$@"`, "sh"];

/** Lets a running process write files up to a size. */
export function limitFiles(pid: number, bytes: number | "unlimited"): void {
  const { exitCode, stderr } = Bun.spawnSync(["prlimit", "--pid", `${pid}`, `--fsize=${bytes}:unlimited`]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}
