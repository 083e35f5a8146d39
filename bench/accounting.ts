import { readdirSync, readFileSync } from "node:fs";
import { cpuClock } from "./cpu-clock.ts";

/** The unit of CPU times in `/proc`, in microseconds: Linux shows them to programs in hundredths of a second (USER_HZ, time(7)). */
export const TICK_MICROSECONDS = 10_000;

/** The use of a process and all its descendants. */
export interface Accounted {
  /** CPU time so far, in microseconds. */
  cpuMicroseconds(): number;
  residentMegabytes(): number;
}

/** The use of several processes and their descendants. */
export function together(parts: readonly Accounted[]): Accounted {
  return {
    cpuMicroseconds: () => sum(parts.map((each) => each.cpuMicroseconds())),
    residentMegabytes: () => sum(parts.map((each) => each.residentMegabytes())),
  };
}

/** A process and all its living descendants. */
export function treeOf(pid: number): number[] {
  const tree = [pid];
  // The loop also visits the children that it appends.
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
 * CPU time of a process and all its descendants so far, in microseconds: all threads, in user and kernel mode, ended
 * children included.
 */
export function cpuMicroseconds(pid: number): number {
  return sum(treeOf(pid).map((each) => cpuClock(each) + orGone(0, () => endedChildren(each))));
}

/** CPU time of the children of a process that have ended, in microseconds. */
function endedChildren(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, in parentheses, may hold anything. Words 14 and 15 after it are the user and kernel time of ended children.
  const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return sum(words.slice(13, 15).map(Number)) * TICK_MICROSECONDS;
}

/** The parent of a process. */
export function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/**
 * Resident memory of a process and all its descendants, in MB (10^6 bytes). Memory that several of them share counts
 * once. For a single process, memory that it shares with other programs (the C library, for example) counts in full.
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

/** What can be read about a process, or a substitute if it has ended meanwhile. */
function orGone<Value>(instead: Value, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return instead;
    throw error;
  }
}
