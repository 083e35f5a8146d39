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
/** The end of the question that is being asked of a server: two at once take each other's processes, and see none change. */
const ASKED = new WeakMap<Host, Promise<void>>();

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
  for (let asked = ASKED.get(host); asked; asked = ASKED.get(host)) await asked;
  if (!mayShareSessions(host)) return;
  const asking = sharesSessions(one, other, isBroken);
  const end = () => void ASKED.delete(host);
  ASKED.set(host, asking.then(end, end));
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

/** One round may miss a pooler if its other clients take the process that would reveal it. */
const ROUNDS = 4;

const PROCESS = "SELECT pg_backend_pid() AS process";

/** The session has not got its settings yet: a role's could end it before the other client has been asked. */
const BEGIN =
  "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";

/**
 * Whether a pooler assigns a server process to each transaction, as PgBouncer does in transaction mode, so that the settings
 * and locks of a session pass to other clients. A pooler in statement mode is recognized because it refuses transactions.
 *
 * Without a pooler, each client has a process of its own that never changes. Behind one, a transaction of one client occupies
 * a process, so that the other client gets another one. Once it has ended, a pooler gives the process that was used last or first:
 * to the first or to the second statement that follows.
 */
async function sharesSessions(one: SQL, other: SQL, isBroken: () => boolean): Promise<boolean> {
  // A pooler that takes no further client says so here, with the code that refusing transactions has.
  const others = await processOf(other);
  const own = await processOf(one);
  for (let round = 0; round < ROUNDS; round++) {
    const taken = await beginOn(other);
    if (taken === undefined) return true;
    const seen = [await processOf(one)];
    await other.unsafe("ROLLBACK");
    seen.push(await processOf(one), await processOf(one));
    if (taken === own || taken !== others || seen.some((process) => process !== own)) {
      if (isBroken()) throw new Refused("ended a connection while it was asked what it is", true);
      return true;
    }
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
