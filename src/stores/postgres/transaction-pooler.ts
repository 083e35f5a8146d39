import type { SQL } from "bun";
import { sqlState } from "./errors.ts";

/** Other clients of a pooler may take the server process that would have given it away. */
const ROUNDS = 3;

/**
 * Whether something between us and PostgreSQL gives a client another server process for each transaction, as
 * PgBouncer does in transaction mode, and with it the settings and locks of a session to others. Statement mode
 * refuses transactions, which nothing else does.
 *
 * While one client is in a transaction, its process is taken: the other's process is then another than before, or
 * was the same. No client's process ever changes where each has its own.
 */
export async function sharesSessions(one: SQL, other: SQL): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await processOf(one);
    if (!(await begin(other))) return true;
    const taken = await processOf(other);
    const after = await processOf(one);
    await other.unsafe("ROLLBACK");
    if (taken === before || after !== before) return true;
  }
  return false;
}

async function begin(sql: SQL): Promise<boolean> {
  try {
    await sql.unsafe("BEGIN");
    return true;
  } catch (error) {
    if (sqlState(error) === "08P01") return false;
    throw error;
  }
}

async function processOf(sql: SQL): Promise<number> {
  const [row] = await sql.unsafe<{ process: number }[]>("SELECT pg_backend_pid() AS process");
  return row?.process ?? 0;
}
