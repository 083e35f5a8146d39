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
