/**
 * The codes of the system and of SQLite for a disk, or a user's share of it, that is full. The last says that the shared
 * memory of a store could not grow, which has hardly another cause.
 */
const CODES: readonly unknown[] = ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];

/** Whether an error says that a disk is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && CODES.includes(error.code);
}
