import type { SQL } from "bun";
import { sqlState } from "../errors.ts";

/**
 * Other clients of a pooler may take the process that would have given it away, in a third of the rounds where three
 * others are busy.
 */
const ROUNDS = 12;

const PROCESS = "SELECT pg_backend_pid() AS process";

/**
 * Whether something between us and PostgreSQL gives a client another server process for each transaction, as
 * PgBouncer does in transaction mode, and with it the settings and locks of a session to others. Statement mode
 * refuses transactions, which nothing else does.
 *
 * While one client is in a transaction, its process is taken: the other's process is then another than before, or
 * was the same. No client's process ever changes where each has its own.
 */
export async function sharesSessions(one: SQL, other: SQL): Promise<boolean> {
  let before = await processOf(one);
  for (let round = 0; round < ROUNDS; round++) {
    const taken = await beginOn(other);
    if (taken === undefined || taken === before) return true;
    const after = await processOf(one);
    if (after !== before) return true;
    before = after;
    // Its answer is not waited for: what is asked next comes behind it, and fails where it failed.
    other.unsafe("ROLLBACK").catch(() => {});
  }
  return false;
}

/** Begins a transaction, and returns the process that it takes; `undefined` where transactions are refused. */
async function beginOn(sql: SQL): Promise<number | undefined> {
  try {
    const [, [row]] = await sql.unsafe<[unknown, { process: number }[]]>(`BEGIN; ${PROCESS}`);
    return row?.process ?? 0;
  } catch (error) {
    if (sqlState(error) === "08P01") return undefined;
    throw error;
  }
}

async function processOf(sql: SQL): Promise<number> {
  const [row] = await sql.unsafe<{ process: number }[]>(PROCESS);
  return row?.process ?? 0;
}
