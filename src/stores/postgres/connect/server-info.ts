import type { SQL } from "bun";
import { sqlState } from "../errors.ts";
import { readPosition } from "./position.ts";
import { Refused } from "./refused.ts";
import { type FoundSettings, READ_FIRST, refusedSetting } from "./session-settings.ts";
import { runUnset } from "./unset-session.ts";

/** The major versions that the tests cover. */
const OLDEST_SUPPORTED = 14;
export const NEWEST_SUPPORTED = 18;

/** What a server reports about itself on a new connection. */
export interface ServerInfo {
  readonly majorVersion: number;
  /** The id of the server process behind this connection. */
  readonly process: number;
  /** Whether it replays the log of another server. */
  readonly standby: boolean;
  readonly readOnly: boolean;
  /**
   * The timeline, which grows when a standby is promoted; 0 if the server does not reveal it. A standby's timeline may lag
   * behind, but never leads.
   */
  readonly timeline: number;
  /** The system identifier of its cluster; `undefined` if the server does not reveal it, as some managed services do. */
  readonly cluster: string | undefined;
  /**
   * When the server began, in seconds since 1970: when it was started, and when it last lost what it had in memory, which
   * the crash of one of its processes does without a start.
   */
  readonly began: string;
  /** The number of the database in its cluster. A database that was dropped and made again has another number. */
  readonly database: string;
  /** Whether the database has a schema `animal_store` that is whole: `pg_restore` has none before its end. */
  readonly holdsStore: boolean;
  readonly settings: FoundSettings;
}

/**
 * Engines with PostgreSQL's protocol, recognized by their `version()`. They differ in what this program's promises depend
 * on: row locks, deferred triggers, the order in which commits become visible.
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

/** Functions of PostgreSQL 14 that this program calls and that similar engines tend to lack. */
const NEEDED = [
  "pg_catalog.pg_advisory_xact_lock(bigint)",
  "pg_catalog.pg_blocking_pids(integer)",
  "pg_catalog.pg_current_xact_id()",
  "pg_catalog.pg_sequence_last_value(regclass)",
];

/** `pg_dump` puts foreign keys last, when all rows, sequences and triggers are there. */
const HOLDS_STORE = `
  EXISTS (SELECT FROM pg_catalog.pg_constraint AS last JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = connamespace
           WHERE nspname = 'animal_store' AND conname = 'store_order_animal_id_fkey')`;

/** A crash resets the statistics, also where the server goes on under the same first process. */
const BEGAN = `
  (SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), extract(epoch FROM stats_reset))
     FROM pg_stat_archiver)`;

// One text for the simple protocol, since a pooler may not support named prepared statements.
const IDENTIFY = `
  SELECT version() AS version, current_setting('server_version_num') AS number,
         pg_backend_pid() AS process, pg_is_in_recovery() AS standby,
         (SELECT string_agg(name, ', ') FROM unnest(ARRAY['${NEEDED.join("', '")}']) AS name
           WHERE to_regprocedure(name) IS NULL) AS lacking,
         ${HOLDS_STORE} AS "holdsStore", ${BEGAN} AS began,
         (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database,
         ${READ_FIRST.map((name) => `current_setting('${name}') AS ${name}`).join(", ")}`;

/**
 * Identifies a server. It changes nothing there, in case the server is refused.
 *
 * @throws Refused if this program cannot use the server
 */
export async function identify(sql: SQL): Promise<ServerInfo> {
  const { version, number, process, standby, lacking, holdsStore, began, database, ...settings } =
    await askWho(sql);
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
  const cluster = await readCluster(sql);
  return {
    majorVersion,
    process,
    standby,
    readOnly,
    timeline,
    cluster,
    began,
    database,
    holdsStore,
    settings,
  };
}

async function readCluster(sql: SQL): Promise<string | undefined> {
  try {
    const text = "SELECT system_identifier::text AS cluster FROM pg_control_system()";
    const [row] = await runUnset<{ cluster: string }>(sql, text);
    return row?.cluster;
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    return undefined;
  }
}

interface Identity extends Pick<ServerInfo, "process" | "standby" | "holdsStore" | "began" | "database"> {
  readonly version: string;
  /** For example 180004 for 18.4. */
  readonly number: string;
  readonly lacking: string | null;
}

async function askWho(sql: SQL): Promise<Identity & FoundSettings> {
  try {
    const [row] = await runUnset<Identity & FoundSettings>(sql, IDENTIFY);
    return row as Identity & FoundSettings;
  } catch (error) {
    // The engine is not PostgreSQL: it lacks a function, a setting or a part of the syntax.
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
