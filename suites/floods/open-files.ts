import { readFileSync } from "node:fs";

/** Whether this process, and those that it starts, may have this many files open; raises the soft limit if need be. */
export function mayOpen(files: number): boolean {
  if (process.platform !== "linux") return false;
  const [, soft, hard] =
    /Max open files +([0-9]+) +([0-9]+)/.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  if (Number(soft) >= files) return true;
  const raise = ["prlimit", "--pid", `${process.pid}`, `--nofile=${files}:`];
  return Number(hard) >= files && Bun.spawnSync(raise, { stderr: "ignore" }).success;
}
