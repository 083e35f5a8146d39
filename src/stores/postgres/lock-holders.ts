import type { SQL } from "bun";
import type { LockHolder } from "../../domain/event.ts";

interface Row {
  readonly process: number;
  readonly application: string | null;
  readonly user: string | null;
  readonly since: number | null;
}

/**
 * Which sessions hold a lock that a server's process waits for, or wait for it before that process. Of another user's
 * session PostgreSQL tells the start of its transaction only to members of pg_read_all_stats.
 */
export async function findLockHolders(sql: SQL, process: number): Promise<LockHolder[]> {
  const rows: Row[] = await sql`
    SELECT blocking.pid AS process, nullif(application_name, '') AS application, usename AS user,
           floor(extract(epoch FROM xact_start) * 1000)::float8 AS since
      FROM unnest(pg_blocking_pids(${process})) AS blocking (pid) LEFT JOIN pg_stat_activity USING (pid)
     ORDER BY xact_start NULLS LAST, pid`;
  return rows.map(({ process, application, user, since }) => ({
    process,
    application: application ?? undefined,
    user: user ?? undefined,
    since: since ?? undefined,
  }));
}

/** Names sessions for people: `psql of alice, process 4711, in a transaction since 2026-11-21T22:40:00.000Z`. */
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
