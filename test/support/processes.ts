import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A minimal Linux has no `ps`; macOS has nothing else. */
const onLinux = process.platform === "linux";

interface Listed {
  readonly pid: number;
  readonly parent: number;
  /** As `ps` shows it: `Z` begins that of a process that has ended and whose parent has not noticed. */
  readonly state: string;
}

/** A process and all its descendants, the parent first, so that it starts no more while the others get a signal. */
export function treeOf(pid: number): number[] {
  const all = allProcesses();
  const below = (parent: number): number[] => [
    parent,
    ...all.filter((each) => each.parent === parent).flatMap((each) => below(each.pid)),
  ];
  return below(pid);
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

/** Whether a process still runs; a zombie does not. */
export function isThere(pid: number): boolean {
  const [found] = onLinux ? listedInProc(`${pid}`) : allProcesses().filter((each) => each.pid === pid);
  return found !== undefined && !found.state.startsWith("Z");
}

function allProcesses(): Listed[] {
  if (onLinux)
    return readdirSync("/proc").flatMap((name) => (/^[0-9]+$/.test(name) ? listedInProc(name) : []));
  const lines = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid=,stat="]).stdout.toString().trim().split("\n");
  return lines.map((line) => {
    const [pid, parent, state = ""] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), state };
  });
}

function listedInProc(pid: string): Listed[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold anything.
    const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [{ pid: Number(pid), parent: Number(parent), state }];
  } catch {
    // It has ended in between.
    return [];
  }
}

/** The arguments of a process on Linux, each ended by U+0000; empty if it has ended. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** The resident memory of a process on Linux, in megabytes. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** The open descriptors of a process on Linux, each as the path of its file or a name like `socket:[4711]`. */
export function openDescriptors(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      // It was closed in between.
      return [];
    }
  });
}
