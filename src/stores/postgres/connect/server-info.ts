import type { SQL } from "bun";
import { sqlState } from "../errors.ts";
import { Refused } from "./refused.ts";
import { type FoundSettings, READ_FIRST, refusedSetting } from "./session-settings.ts";

/** The major versions that the suites run on. */
const OLDEST_SUPPORTED = 14;
export const NEWEST_SUPPORTED = 18;

/** What a server says of itself when it lets us in. */
export interface ServerInfo {
  readonly majorVersion: number;
  /** The number of its process that serves this connection. */
  readonly process: number;
  /** It replays what another server writes. */
  readonly standby: boolean;
  readonly readOnly: boolean;
  /**
   * Grows when a standby is promoted; 0 where the server does not tell. That of a standby may lag, and never leads.
   */
  readonly timeline: number;
  readonly settings: FoundSettings;
}

/**
 * Engines that speak PostgreSQL's protocol, by what their `version()` says. They differ in what our promises rest on:
 * row locks, deferred triggers, the order in which commits become visible.
 */
const LOOK_ALIKES: readonly (readonly [RegExp, string])[] = [
  [/CockroachDB/, "CockroachDB"],
  [/YugabyteDB|-YB-/, "YugabyteDB"],
  [/Redshift/, "Amazon Redshift"],
  [/Greenplum|Cloudberry/, "Greenplum"],
  [/Materialize/, "Materialize"],
  [/RisingWave/, "RisingWave"],
  [/CrateDB/, "CrateDB"],
  [/QuestDB/, "QuestDB"],
  [/H2/, "H2"],
];

/** Functions of PostgreSQL 14 that our statements call and that engines like it tend to lack. */
const NEEDED = [
  "pg_catalog.pg_advisory_xact_lock(bigint)",
  "pg_catalog.pg_blocking_pids(integer)",
  "pg_catalog.pg_current_xact_id()",
];

// In one text of the simple protocol: a pooler may not follow statements that are prepared by name.
const IDENTIFY = `
  SELECT version() AS version, current_setting('server_version_num') AS number,
         pg_backend_pid() AS process, pg_is_in_recovery() AS standby,
         (SELECT string_agg(name, ', ') FROM unnest(ARRAY['${NEEDED.join("', '")}']) AS name
           WHERE to_regprocedure(name) IS NULL) AS lacking,
         ${READ_FIRST.map((name) => `current_setting('${name}') AS ${name}`).join(", ")}`;

// A standby knows the timeline of what it has replayed from its last restart point on.
const POSITION = `
  SELECT CASE WHEN pg_is_in_recovery()
              THEN (SELECT greatest(timeline_id, min_recovery_end_timeline)
                      FROM pg_control_checkpoint(), pg_control_recovery())
              ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
         END AS timeline,
         pg_last_wal_receive_lsn()::text AS received`;

/** How far a server is in the history of its cluster. */
export interface Position {
  /** See `ServerInfo`. */
  readonly timeline: number;
  /** How much of the primary's log a standby has on its disk, as a number of bytes; `undefined` where that is unknown. */
  readonly received: bigint | undefined;
}

/**
 * Asks a server what it is. It changes nothing, so that a server that is refused is left as it was.
 *
 * @throws Refused where it is nothing that this program can use
 */
export async function identify(sql: SQL): Promise<ServerInfo> {
  const { version, number, process, standby, lacking, ...settings } = await askWho(sql);
  assertPostgres(version);
  const majorVersion = Math.floor(Number(number) / 10_000);
  if (majorVersion < OLDEST_SUPPORTED) {
    throw new Refused(
      `is PostgreSQL ${majorVersion}; PostgreSQL ${OLDEST_SUPPORTED} to ${NEWEST_SUPPORTED} are supported`,
    );
  }
  if (lacking !== null) throw lacks(lacking);
  const reason = refusedSetting(settings);
  if (reason !== undefined) throw new Refused(reason);
  const readOnly = settings.transaction_read_only === "on";
  const { timeline } = await readPosition(sql);
  return { majorVersion, process, standby, readOnly, timeline, settings };
}

interface Identity extends Pick<ServerInfo, "process" | "standby"> {
  readonly version: string;
  /** Such as 180004 for 18.4. */
  readonly number: string;
  readonly lacking: string | null;
}

async function askWho(sql: SQL): Promise<Identity & FoundSettings> {
  try {
    const [row] = await sql.unsafe<(Identity & FoundSettings)[]>(IDENTIFY);
    return row as Identity & FoundSettings;
  } catch (error) {
    // What a statement means differs there: a function or a setting is unknown, or the syntax.
    if (!/^(?:0A|42)/.test(sqlState(error) ?? "")) throw error;
    const [row] = await sql.unsafe<{ version: string }[]>("SELECT version() AS version").catch(() => []);
    assertPostgres(row?.version ?? "");
    throw lacks((error as Error).message, error);
  }
}

/** @throws Refused */
function assertPostgres(version: string): void {
  const [, name] = LOOK_ALIKES.find(([shape]) => shape.test(version)) ?? [];
  if (name === undefined) return;
  throw new Refused(
    `is ${name}, which speaks PostgreSQL's protocol and differs in what it promises; use PostgreSQL`,
  );
}

function lacks(what: string, cause?: unknown): Refused {
  return new Refused(
    `speaks PostgreSQL's protocol but lacks what Animal Store needs (${what}); use PostgreSQL ` +
      `${OLDEST_SUPPORTED} to ${NEWEST_SUPPORTED}`,
    false,
    { cause },
  );
}

/** @throws where the connection is lost */
export function readPosition(sql: SQL): Promise<Position> {
  return position(sql.unsafe<Row[]>(POSITION));
}

/**
 * What `readPosition` reads, but for the timeline of a standby, which is told as 0: prepared, and without looking into
 * a file, since it is asked after each commit.
 *
 * @throws where the connection is lost
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

/** A place in the log (`pg_lsn`, such as 16/B374D848) as a number of bytes. */
export function parseLsn(text: string): bigint {
  const [high = "", low = ""] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
