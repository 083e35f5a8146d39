import { readdirSync, readFileSync } from "node:fs";

/** How fine the kernel counts CPU time, in microseconds: 10,000 on most machines. */
export const TICK_MICROSECONDS = 1_000_000 / Number(Bun.spawnSync(["getconf", "CLK_TCK"]).stdout.toString());

/** What a process, and the processes that it started, have used. */
export interface Accounted {
  /** CPU time so far, in microseconds. */
  cpuMicroseconds(): number;
  residentMegabytes(): number;
}

/** A process and all that it has started, down to the last. One that has just ended is left out. */
export function treeOf(pid: number): number[] {
  const tree = [pid];
  // What is found joins the end, and has its turn.
  for (const parent of tree) tree.push(...childrenOf(parent));
  return tree;
}

function childrenOf(pid: number): number[] {
  return orGone([], () =>
    readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    ),
  );
}

/**
 * CPU time that a process and all that it has started have used so far, in microseconds: all threads, in
 * themselves and in the kernel, those children included that have ended.
 */
export function cpuMicroseconds(pid: number): number {
  return sum(treeOf(pid).map((each) => orGone(0, () => ticksOf(each)))) * TICK_MICROSECONDS;
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, in parentheses, may hold anything; `utime`, `stime`, and the same of children that have ended
  // are the 12th to 15th words after it.
  const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return sum(words.slice(11, 15).map(Number));
}

/** The process that has started another. */
export function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/**
 * Resident memory of a process and all that it has started, in MB (10^6 bytes). What several of them share
 * is counted once; what a process shares with strangers, such as the C library, counts in full where the
 * process is alone.
 */
export function residentMegabytes(pid: number): number {
  const tree = treeOf(pid);
  const kibibytes =
    tree.length === 1
      ? field(pid, "status", "VmRSS")
      : sum(tree.map((each) => orGone(0, () => field(each, "smaps_rollup", "Pss"))));
  return (kibibytes * 1024) / 1e6;
}

function field(pid: number, file: string, name: string): number {
  return Number(
    new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1],
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** What can be read of a process, or something else where it has ended meanwhile. */
function orGone<Value>(instead: Value, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return instead;
    throw error;
  }
}
