import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process and all its descendants, the parent first, so that it starts no more while the others get a signal. */
export function treeOf(pid: number): number[] {
  const listed = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid="]).stdout.toString();
  const pairs = [...listed.matchAll(/(\d+)\s+(\d+)/g)].map(([, child, parent]) =>
    [child, parent].map(Number),
  );
  const below = (parent: number): number[] => [
    parent,
    ...pairs.filter(([, its]) => its === parent).flatMap(([child = 0]) => below(child)),
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
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", `${pid}`])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
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
