import type { SQL } from "bun";
import { sqlState } from "../errors.ts";
import { runUnset } from "./unset-session.ts";

/** The position of a server in the history of its cluster. */
export interface Position {
  /** See `ServerInfo`. */
  readonly timeline: number;
  /** The part of the primary's log that a standby has on its disk, in bytes; `undefined` if that is unknown. */
  readonly received: bigint | undefined;
}

// A standby knows its timeline as of its last restart point.
const POSITION = `
  SELECT CASE WHEN pg_is_in_recovery()
              THEN (SELECT greatest(timeline_id, min_recovery_end_timeline)
                      FROM pg_control_checkpoint(), pg_control_recovery())
              ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
         END AS timeline,
         pg_last_wal_receive_lsn()::text AS received`;

/** @throws if the connection is lost */
export function readPosition(sql: SQL): Promise<Position> {
  return position(runUnset<Row>(sql, POSITION));
}

/**
 * Reads the position as `readPosition` does, but with timeline 0 for a standby. It runs after each commit, so it is a
 * prepared statement and reads no file.
 *
 * @throws if the connection is lost
 */
export function readPromotion(sql: SQL): Promise<Position> {
  return position(sql<Row[]>`
    SELECT CASE WHEN pg_is_in_recovery() THEN 0
                ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
           END AS timeline,
           pg_last_wal_receive_lsn()::text AS received`);
}

interface Row {
  readonly timeline: number | null;
  readonly received: string | null;
}

async function position(asked: PromiseLike<Row[]>): Promise<Position> {
  try {
    const [row] = await asked;
    return { timeline: row?.timeline ?? 0, received: row?.received ? parseLsn(row.received) : undefined };
  } catch (error) {
    // Some managed services have no such log.
    if (sqlState(error) === undefined) throw error;
    return { timeline: 0, received: undefined };
  }
}

/** Converts a position in the log (`pg_lsn`, for example 16/B374D848) to bytes. */
export function parseLsn(text: string): bigint {
  const [high = "", low = ""] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
