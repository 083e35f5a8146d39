import { readFileSync } from "node:fs";

/** How fine the kernel counts CPU time, in microseconds: 10,000 on most machines. */
export const TICK_MICROSECONDS = 1_000_000 / Number(Bun.spawnSync(["getconf", "CLK_TCK"]).stdout.toString());

/** CPU time that a process has used so far, in microseconds: all threads, in itself and in the kernel. */
export function cpuMicroseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, in parentheses, may hold anything; `utime` and `stime` are the 12th and 13th words after it.
  const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(words[11]) + Number(words[12])) * TICK_MICROSECONDS;
}

/** Memory of a process, in MiB. */
export interface Memory {
  readonly resident: number;
  /** The most that it ever was. */
  readonly highWater: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
  return { resident: mebibytes("VmRSS"), highWater: mebibytes("VmHWM") };
}
