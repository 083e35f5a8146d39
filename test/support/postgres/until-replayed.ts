import { until } from "../until.ts";
import type { PostgresServer } from "./server.ts";

/** Resolves when a standby has replayed all that its primary has written. */
export async function untilReplayed(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const [written] = await primary.query<{ at: string }>("SELECT pg_current_wal_lsn()::text AS at");
  const replayed = `SELECT 1 WHERE pg_last_wal_replay_lsn() >= '${written?.at}'`;
  await until(async () => (await standby.query(replayed)).length > 0);
}
