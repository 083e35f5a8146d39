import { readFileSync, statSync } from "node:fs";

/**
 * Whether any process holds a lock on a file, as Linux tells of all of them (proc_locks(5)): for files
 * that SQLite cannot read and so cannot ask about. Elsewhere it is not known, and said to be none.
 */
export function isLocked(file: string): boolean {
  const { ino } = statSync(file, { bigint: true });
  try {
    return readFileSync("/proc/locks", "utf8").includes(`:${ino} `);
  } catch {
    return false;
  }
}

/** A lock that a process shares with others, on the bytes of a file from one to another, both included. */
interface ReadLock {
  /** The process's id. */
  readonly holder: number;
  readonly from: number;
  readonly to: number;
}

/** The shared locks on a file, of all processes; `undefined` where the system does not tell. */
export function readLocks(file: string): ReadLock[] | undefined {
  let locks: string;
  let inode: bigint;
  try {
    inode = statSync(file, { bigint: true }).ino;
    locks = readFileSync("/proc/locks", "utf8");
  } catch {
    return undefined;
  }
  const line = new RegExp(`: POSIX +ADVISORY +READ +(\\d+) \\S+:${inode} (\\d+) (\\d+)$`, "gm");
  return [...locks.matchAll(line)].map(([, holder, from, to]) => ({
    holder: Number(holder),
    from: Number(from),
    to: Number(to),
  }));
}
