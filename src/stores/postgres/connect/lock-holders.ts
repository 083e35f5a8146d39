import type { SQL } from "bun";
import { quote } from "../../../domain/quote.ts";
import type { LockHolder } from "../../../observations/observation.ts";

/** The reason why a server process waits. */
export interface Wait {
  readonly holders: readonly LockHolder[];
  /** The holders in words. */
  readonly description: string;
  /** The same without the names of users and programs, for responses to requests without a key. */
  readonly publicDescription: string;
}

interface Row {
  readonly waitsForStandby: boolean;
  readonly process: number | null;
  readonly prepared: string | null;
  readonly application: string | null;
  readonly user: string | null;
  readonly since: number | null;
}

const STANDBY = "a standby to confirm the commit (synchronous_standby_names)";

/**
 * Finds what a server process waits for: sessions that hold a lock or are ahead in its queue, a prepared transaction, or a
 * standby. Returns `undefined` if it waits for none of these. Which prepared transaction it waits for, PostgreSQL does not
 * tell, so all of this database are named. For sessions of other users, PostgreSQL reveals the start of the transaction only
 * to members of pg_read_all_stats.
 */
export async function findWait(sql: SQL, process: number): Promise<Wait | undefined> {
  const rows: Row[] = await sql`
    SELECT ours.wait_event IS NOT DISTINCT FROM 'SyncRep' AS "waitsForStandby", blocking.pid AS process, gid AS prepared,
           nullif(holder.application_name, '') AS application, coalesce(holder.usename, owner) AS user,
           floor(extract(epoch FROM coalesce(holder.xact_start, prepared)) * 1000)::float8 AS since
      FROM pg_stat_activity AS ours
           LEFT JOIN unnest(pg_blocking_pids(${process})) AS blocking (pid) ON true
           LEFT JOIN pg_stat_activity AS holder ON holder.pid = blocking.pid
           LEFT JOIN pg_prepared_xacts ON blocking.pid = 0 AND database = current_database()
     WHERE ours.pid = ${process}
     ORDER BY since NULLS LAST, blocking.pid`;
  const holders = rows.flatMap(holderIn);
  if (holders.length > 0) {
    const publicDescription = holders.map(describeInPublic).join("; ");
    return { holders, description: describeLockHolders(holders), publicDescription };
  }
  const description = STANDBY;
  return rows[0]?.waitsForStandby ? { holders, description, publicDescription: description } : undefined;
}

/** Finds the transactions that have held rows of animals or orders, or the tables, for longer than a write of ours does. */
export async function findRowHolders(sql: SQL): Promise<LockHolder[]> {
  const rows: Row[] = await sql`
    SELECT DISTINCT coalesce(held.pid, 0) AS process, gid AS prepared, nullif(application_name, '') AS application,
           coalesce(usename, owner) AS user,
           floor(extract(epoch FROM coalesce(xact_start, prepared.prepared)) * 1000)::float8 AS since
      FROM pg_locks AS held
           LEFT JOIN pg_stat_activity AS holder ON holder.pid = held.pid
           -- Only the lock that it holds on itself tells which prepared transaction a lock belongs to.
           LEFT JOIN pg_locks AS itself
             ON held.pid IS NULL AND itself.pid IS NULL AND itself.locktype = 'transactionid'
                AND itself.virtualtransaction = held.virtualtransaction
           LEFT JOIN pg_prepared_xacts AS prepared ON prepared.transaction = itself.transactionid
     WHERE held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND held.relation IN ('animal_store.animal'::regclass, 'animal_store.store_order'::regclass)
       AND held.mode <> 'AccessShareLock' AND held.granted
       AND (coalesce(xact_start, prepared.prepared) < clock_timestamp() - interval '1 second') IS NOT false
     ORDER BY since NULLS LAST, process`;
  return rows.flatMap(holderIn);
}

function holderIn({ process, prepared, application, user, since }: Row): LockHolder[] {
  if (process === null) return [];
  return [
    {
      process,
      prepared: prepared ?? undefined,
      application: application ?? undefined,
      user: user ?? undefined,
      since: since ?? undefined,
    },
  ];
}

/** Describes sessions: `psql of alice, process 4711, in a transaction since 2026-11-21T22:40:00.000Z`. */
export function describeLockHolders(holders: readonly LockHolder[]): string {
  return holders.map(describe).join("; ") || "others";
}

function describeInPublic({ process, prepared }: LockHolder): string {
  return prepared === undefined && process !== 0
    ? `process ${process} of PostgreSQL`
    : describe({ process, prepared, application: undefined, user: undefined, since: undefined });
}

function describe({ process, prepared, application, user, since }: LockHolder): string {
  const owner = user === undefined ? "" : ` of ${user}`;
  const began = since === undefined ? "" : ` since ${new Date(since).toISOString()}`;
  if (prepared !== undefined)
    return `the prepared transaction ${quote(prepared)}${owner}${began} (end it with ROLLBACK PREPARED)`;
  // It was resolved while the wait was looked at.
  if (process === 0) return "a prepared transaction";
  return `${application ?? "a session"}${owner}, process ${process}${began && `, in a transaction${began}`}`;
}
