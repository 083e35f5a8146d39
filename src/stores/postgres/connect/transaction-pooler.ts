import type { SQL } from "bun";
import { sqlState } from "../errors.ts";
import { Refused } from "./refused.ts";
import { runUnset } from "./unset-session.ts";

/** A pooler is in between that shares sessions. */
export class SharedSession extends Refused {
  constructor() {
    super(
      "is behind a pooler that gives statements of one session to several servers (transaction or statement mode): " +
        "set pool_mode = session there, or name PostgreSQL itself",
    );
    this.name = "SharedSession";
  }
}

/**
 * One round may miss a pooler if its other clients take the process that would reveal it. With three busy clients that
 * happens in a third of the rounds.
 */
const ROUNDS = 12;

const PROCESS = "SELECT pg_backend_pid() AS process";

/** The session has not got its settings yet: a role's could end it before the other client has been asked. */
const BEGIN =
  "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";

/**
 * Whether a pooler assigns a server process to each transaction, as PgBouncer does in transaction mode, so that the settings
 * and locks of a session pass to other clients. A pooler in statement mode is recognized because it refuses transactions.
 *
 * A transaction of one client occupies its server process. Behind a pooler the other client then gets a different process
 * than before, or both had the same one. Without a pooler the process of a client never changes.
 */
export async function sharesSessions(one: SQL, other: SQL): Promise<boolean> {
  // A pooler that takes no further client says so here, with the code that refusing transactions has.
  await processOf(other);
  let before = await processOf(one);
  for (let round = 0; round < ROUNDS; round++) {
    const taken = await beginOn(other);
    if (taken === undefined || taken === before) return true;
    const after = await processOf(one);
    if (after !== before) return true;
    before = after;
    // Not awaited: the next statement follows on the same connection, and fails if this one did.
    other.unsafe("ROLLBACK").catch(() => {});
  }
  return false;
}

/** Begins a transaction, and returns its server process; `undefined` if transactions are refused. */
async function beginOn(sql: SQL): Promise<number | undefined> {
  try {
    const results = await sql.unsafe<{ process: number }[][]>(`${BEGIN}; ${PROCESS}`);
    return results.at(-1)?.[0]?.process ?? 0;
  } catch (error) {
    if (sqlState(error) === "08P01") return undefined;
    throw error;
  }
}

async function processOf(sql: SQL): Promise<number> {
  const [row] = await runUnset<{ process: number }>(sql, PROCESS);
  return row?.process ?? 0;
}
