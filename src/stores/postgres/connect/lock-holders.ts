import type { SQL } from "bun";
import type { LockHolder } from "../../../domain/event.ts";

/** The reason why a server process waits. */
export interface Wait {
  readonly holders: readonly LockHolder[];
  /** The holders in words. */
  readonly description: string;
}

interface Row {
  readonly waitsForStandby: boolean;
  readonly process: number | null;
  readonly application: string | null;
  readonly user: string | null;
  readonly since: number | null;
}

const STANDBY = "a standby to confirm the commit (synchronous_standby_names)";

/**
 * Finds what a server process waits for: sessions that hold a lock or are ahead in its queue, or a standby. Returns
 * `undefined` if it waits for none of these. For sessions of other users, PostgreSQL reveals the start of the transaction
 * only to members of pg_read_all_stats.
 */
export async function findWait(sql: SQL, process: number): Promise<Wait | undefined> {
  const rows: Row[] = await sql`
    SELECT ours.wait_event IS NOT DISTINCT FROM 'SyncRep' AS "waitsForStandby", blocking.pid AS process,
           nullif(holder.application_name, '') AS application, holder.usename AS user,
           floor(extract(epoch FROM holder.xact_start) * 1000)::float8 AS since
      FROM pg_stat_activity AS ours
           LEFT JOIN unnest(pg_blocking_pids(${process})) AS blocking (pid) ON true
           LEFT JOIN pg_stat_activity AS holder ON holder.pid = blocking.pid
     WHERE ours.pid = ${process}
     ORDER BY holder.xact_start NULLS LAST, blocking.pid`;
  const holders = rows.flatMap(({ process, application, user, since }) =>
    process === null
      ? []
      : [
          {
            process,
            application: application ?? undefined,
            user: user ?? undefined,
            since: since ?? undefined,
          },
        ],
  );
  if (holders.length > 0) return { holders, description: describeLockHolders(holders) };
  return rows[0]?.waitsForStandby ? { holders, description: STANDBY } : undefined;
}

/** Describes sessions: `psql of alice, process 4711, in a transaction since 2026-11-21T22:40:00.000Z`. */
export function describeLockHolders(holders: readonly LockHolder[]): string {
  return holders.map(describe).join("; ") || "others";
}

function describe({ process, application, user, since }: LockHolder): string {
  // Locks of a prepared transaction (PREPARE TRANSACTION) belong to no process.
  if (process === 0) return "a prepared transaction (pg_prepared_xacts names it)";
  const who = [application ?? "a session", ...(user === undefined ? [] : [`of ${user}`])].join(" ");
  const when = since === undefined ? "" : `, in a transaction since ${new Date(since).toISOString()}`;
  return `${who}, process ${process}${when}`;
}
