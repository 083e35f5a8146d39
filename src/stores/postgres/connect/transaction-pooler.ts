import type { SQL } from "bun";
import { within } from "../../../system/within.ts";
import { sqlState } from "../errors.ts";
import { Refused } from "./refused.ts";
import { runUnset } from "./unset-session.ts";
import type { Host } from "./url.ts";

/** A pooler is in between that shares sessions. */
export class SharedSession extends Refused {
  constructor() {
    super(
      "is behind a pooler that gives statements of one session to several servers (transaction or statement mode): " +
        "set pool_mode = session there, or name PostgreSQL itself",
    );
  }
}

/** The servers that were found without such a pooler in between. */
const DEDICATED = new WeakSet<Host>();
/** Those of them that are asked again: a connection to them has ended, and a pooler may have been set to another mode. */
const DOUBTED = new WeakSet<Host>();

/** Whether a pooler that shares sessions may be in between. */
export function mayShareSessions(host: Host): boolean {
  return !DEDICATED.has(host) || DOUBTED.has(host);
}

/** Notes that a connection has ended. */
export function doubtDedication(host: Host): void {
  DOUBTED.add(host);
}

/**
 * Finds out whether a pooler that shares sessions is in between. A server that was found without one is asked again only as
 * long as there is time: a full server or a slow network does not take it away.
 *
 * @param milliseconds how long it may be asked again
 * @param isBroken whether one of the two clients has lost its connection, and so has another process than before
 * @throws SharedSession if one is
 */
export async function assertDedicated(
  host: Host,
  one: SQL,
  other: SQL,
  milliseconds: number,
  isBroken: () => boolean,
): Promise<void> {
  const asking = sharesSessions(one, other, isBroken);
  const isShared = DEDICATED.has(host)
    ? await within(
        milliseconds,
        asking.catch(() => undefined),
        () => undefined,
      )
    : await asking;
  if (isShared) throw new SharedSession();
  if (isShared === undefined) return;
  DEDICATED.add(host);
  DOUBTED.delete(host);
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
async function sharesSessions(one: SQL, other: SQL, isBroken: () => boolean): Promise<boolean> {
  // A pooler that takes no further client says so here, with the code that refusing transactions has.
  await processOf(other);
  let before = await processOf(one);
  for (let round = 0; round < ROUNDS; round++) {
    const taken = await beginOn(other);
    if (taken === undefined) return true;
    const after = await processOf(one);
    if (taken === before || after !== before) {
      if (isBroken()) throw new Refused("ended a connection while it was asked what it is", true);
      return true;
    }
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
