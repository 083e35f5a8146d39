import { readFileSync, statSync } from "node:fs";

/**
 * Whether any process holds a lock on a file, by Linux's list of locks (proc_locks(5)). It serves for files that SQLite
 * cannot read, and so cannot test for locks. Without such a list the answer is `false`.
 */
export function isLocked(file: string): boolean {
  const { ino } = statSync(file, { bigint: true });
  return allLocks()?.includes(`:${ino} `) ?? false;
}

/** A shared lock of a process on the bytes `from` to `to` of a file, both included. */
interface ReadLock {
  /** The id of the process. */
  readonly holder: number;
  readonly from: number;
  readonly to: number;
}

/** The shared locks on a file, of all processes; `undefined` if the system does not list them. */
export function readLocks(file: string): ReadLock[] | undefined {
  const inode = statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
  const locks = allLocks();
  if (inode === undefined || locks === undefined) return undefined;
  const line = new RegExp(`: POSIX +ADVISORY +READ +(\\d+) \\S+:${inode} (\\d+) (\\d+)$`, "gm");
  return [...locks.matchAll(line)].map(([, holder, from, to]) => ({
    holder: Number(holder),
    from: Number(from),
    to: Number(to),
  }));
}

function allLocks(): string | undefined {
  try {
    return readFileSync("/proc/locks", "utf8");
  } catch {
    return undefined;
  }
}
