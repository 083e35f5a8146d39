import type { Environment } from "../domain/environment.ts";
import type { UnreadyPart } from "../domain/failure.ts";

/** A session, or a prepared transaction, that holds a lock in a database. */
export interface LockHolder {
  /** The id of the server process, for `pg_terminate_backend`; 0 if there is none. */
  readonly process: number;
  /** The name of the transaction, if it was prepared (PREPARE TRANSACTION): it belongs to no session any more. */
  readonly prepared: string | undefined;
  readonly application: string | undefined;
  readonly user: string | undefined;
  /** When its transaction began, in milliseconds since 1970, if that is known. */
  readonly since: number | undefined;
}

/** An event that an operator may want to know about. Telemetry decides how it is reported. */
export type Observation =
  | {
      readonly event: "listening";
      readonly address: string;
      readonly environment: Environment;
      /** The identity of the store, where it has one. */
      readonly store: string | undefined;
      /** The number of worker processes; `undefined` if there is only one process. */
      readonly workers: number | undefined;
    }
  | {
      readonly event: "sandbox_listening";
      readonly address: string;
      /** Where its control interface is. */
      readonly control: string;
      /** The public API keys, and a command that uses the first. */
      readonly keys: readonly { readonly name: string; readonly key: string }[];
      readonly example: string;
    }
  /** A sandbox makes a request fail, as a developer asked for. */
  | { readonly event: "fault_injected"; readonly fault: string; readonly operation: string }
  /** A sandbox cannot ask the system to break a connection, so it refuses the faults that need it. */
  | { readonly event: "connections_unbreakable"; readonly error: unknown }
  | { readonly event: "metrics_listening"; readonly address: string }
  | { readonly event: "first_key_issued"; readonly key: string; readonly example: string }
  | { readonly event: "first_key_written"; readonly file: string }
  /** A name in the environment resembles that of a setting, but has no effect. */
  | { readonly event: "setting_warning"; readonly warning: string }
  /** No client can be served, since no key is valid. `command` creates one. */
  | { readonly event: "no_usable_key"; readonly reason: string; readonly command: string }
  /** The process can open no more files, so it accepts no connections. */
  | { readonly event: "descriptors_exhausted" }
  | { readonly event: "descriptors_available" }
  | { readonly event: "request_failed"; readonly requestId: string; readonly error: unknown }
  | { readonly event: "store_failed"; readonly requestId: string; readonly error: unknown }
  /** The feed of changes cannot be read, so open streams receive nothing. Emitted once per cause until the feed works. */
  | { readonly event: "feed_failed"; readonly error: unknown }
  /** The service is not ready, because of this part, until `ready_again`. */
  | { readonly event: "unready"; readonly part: UnreadyPart; readonly error: unknown }
  | { readonly event: "ready_again" }
  /** Work in the database waits for locks. Emitted again if the holders change. */
  | {
      readonly event: "waiting_for_locks";
      /** What waits: `a change of the schema`. */
      readonly work: string;
      readonly holders: readonly LockHolder[];
      /** The holders for people. */
      readonly description: string;
    }
  /** The database's server in use was lost or replaced, and this one is used from now on. */
  | { readonly event: "database_server_found"; readonly host: string; readonly writable: boolean }
  /** A server that the URL names is of another cluster: it is never asked nor believed. */
  | { readonly event: "database_server_foreign"; readonly host: string; readonly reason: string }
  /** The database holds another store than before, or a dump that was restored. */
  | { readonly event: "database_store_replaced"; readonly database: string }
  /** The store has gone back to before changes were recorded as events, and has made some without them. They are recorded again. */
  | { readonly event: "recording_lost" }
  /** A standby begins to answer reads, or stops: then with the reason. */
  | { readonly event: "standby_answers"; readonly host: string }
  | { readonly event: "standby_stopped"; readonly host: string; readonly reason: string }
  /** PostgreSQL is newer than the newest that this version is tested with. */
  | { readonly event: "untested_postgresql"; readonly majorVersion: number; readonly newest: number }
  | { readonly event: "schema_changed"; readonly from: number; readonly to: number }
  | { readonly event: "cleanup_failed"; readonly error: unknown }
  | { readonly event: "key_uses_unrecorded"; readonly error: unknown }
  | { readonly event: "traces_undelivered"; readonly error: unknown }
  /** Backups can be made, and continue a series. */
  | {
      readonly event: "backups_scheduled";
      readonly folder: string;
      /** When the newest backup of this store in the folder began, in milliseconds since 1970; 0 if there is none. */
      readonly newest: number;
      /** Which store this is. */
      readonly identity: string;
      /** How many backups in the folder do not say which store they are of. */
      readonly unidentified: number;
    }
  | { readonly event: "backup_made"; readonly file: string; readonly milliseconds: number }
  | { readonly event: "backup_failed"; readonly error: unknown; readonly againInSeconds: number }
  | { readonly event: "tls_replaced" }
  | { readonly event: "tls_unusable"; readonly error: unknown }
  /** A worker has ended. Another one replaces it this many milliseconds later. */
  | {
      readonly event: "worker_ended";
      readonly worker: number;
      readonly how: string;
      readonly milliseconds: number;
    }
  | { readonly event: "worker_replaced"; readonly worker: number }
  | { readonly event: "stopping"; readonly signal: string }
  /** A stop has taken as long as it may, so the process ends now. */
  | { readonly event: "stop_cut_short"; readonly seconds: number }
  | { readonly event: "stopped" };

/** Where events go. It never throws. */
export type ObservationSink = (event: Observation) => void;
