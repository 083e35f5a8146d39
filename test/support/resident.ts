import { readFileSync } from "node:fs";

/** The resident memory of a process on Linux, in megabytes. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
