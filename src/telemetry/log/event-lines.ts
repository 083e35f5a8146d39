import type { Logger } from "pino";
import type { Observation } from "../../observations/observation.ts";
import { VERSION } from "../../system/version.ts";
import type { FailedRequest } from "./repeated-failures.ts";

type Named<Name extends Observation["event"]> = Extract<Observation, { readonly event: Name }>;

/** The log line of an event. */
interface Line<Logged extends Observation> {
  readonly level: "info" | "warn" | "error";
  text(event: Logged): string;
  /** Left out: the line has no fields. */
  fields?(event: Logged): Readonly<Record<string, unknown>>;
}

const err = ({ error }: { readonly error: unknown }) => ({ err: error });
const requestErr = ({ requestId, error }: FailedRequest) => ({ requestId, err: error });

/** Total: a new event does not compile until it has a row here. */
const LINES: { readonly [Name in Observation["event"]]: Line<Named<Name>> } = {
  listening: {
    level: "info",
    text: ({ address }) => `listening on ${address}`,
    fields: ({ address, store, workers }) => ({
      address,
      docs: `${address}/docs`,
      version: VERSION,
      store,
      workers,
    }),
  },
  sandbox_listening: {
    level: "info",
    text: ({ address, example }) =>
      `listening on ${address}, as a sandbox, which is no place for real data; try it: ${example}`,
    fields: ({ address, control, keys }) => ({ address, control, keys, version: VERSION }),
  },
  fault_injected: {
    level: "info",
    text: ({ fault, operation }) => `fault ${fault} for ${operation}`,
    fields: ({ fault, operation }) => ({ fault, operation }),
  },
  connections_unbreakable: {
    level: "warn",
    text: () =>
      "this sandbox refuses the faults reset, lost and cut: it cannot break connections on this system",
    fields: err,
  },
  metrics_listening: {
    level: "info",
    text: ({ address }) => `metrics are at ${address}`,
    fields: ({ address }) => ({ metrics: address }),
  },
  first_key_issued: {
    level: "info",
    text: ({ example }) => `the first API key, shown only once; try it: ${example}`,
    fields: ({ key }) => ({ key }),
  },
  first_key_written: {
    level: "info",
    text: ({ file }) => `the first API key is in ${file}`,
    fields: ({ file }) => ({ file }),
  },
  setting_warning: { level: "warn", text: ({ warning }) => warning },
  no_usable_key: {
    level: "warn",
    text: ({ reason, command }) => `${reason}; make one with: ${command}`,
    fields: ({ command }) => ({ command }),
  },
  request_failed: { level: "error", text: () => "request failed unexpectedly", fields: requestErr },
  store_failed: { level: "warn", text: () => "the store could not do its work", fields: requestErr },
  feed_failed: {
    level: "warn",
    text: () => "the feed of changes cannot be read; open streams get no events until it can",
    fields: err,
  },
  unready: {
    level: "error",
    text: ({ part }) => `not ready: ${part} fails`,
    fields: ({ part, error }) => ({ part, err: error }),
  },
  descriptors_exhausted: {
    level: "error",
    text: () =>
      "no file descriptor is left: new connections wait until others end; raise LimitNOFILE (`ulimit -n`)",
  },
  descriptors_available: { level: "info", text: () => "file descriptors are available again" },
  ready_again: { level: "info", text: () => "ready again" },
  waiting_for_locks: {
    level: "warn",
    text: ({ work, description }) => `${work} waits for ${description}`,
    fields: ({ holders }) => ({ holders }),
  },
  database_server_found: {
    level: "info",
    text: ({ host, writable }) => `now using PostgreSQL at ${host}${writable ? "" : ", which is read-only"}`,
    fields: ({ host }) => ({ host }),
  },
  database_server_foreign: {
    level: "error",
    text: ({ host, reason }) => `the server at ${host} is never asked nor believed: it ${reason}`,
    fields: ({ host, reason }) => ({ host, reason }),
  },
  database_store_replaced: {
    level: "warn",
    text: ({ database }) =>
      `the database ${database} holds another store than before, or a dump that was restored: its keys and animals count now`,
    fields: ({ database }) => ({ database }),
  },
  recording_lost: {
    level: "warn",
    text: () =>
      "the store has gone back to before changes were recorded as events; they are again, and readers of the feed start again from a list",
  },
  standby_answers: {
    level: "info",
    text: ({ host }) => `the standby at ${host} answers reads`,
    fields: ({ host }) => ({ host }),
  },
  standby_stopped: {
    level: "warn",
    text: ({ host, reason }) =>
      `the standby at ${host} answers no reads: ${reason}; the other servers answer them`,
    fields: ({ host, reason }) => ({ host, reason }),
  },
  untested_postgresql: {
    level: "warn",
    text: ({ majorVersion, newest }) =>
      `PostgreSQL ${majorVersion} is newer than PostgreSQL ${newest}, the newest version that was tested`,
  },
  schema_changed: {
    level: "info",
    text: ({ to }) => `the schema is now at version ${to}`,
    fields: ({ from, to }) => ({ from, to }),
  },
  cleanup_failed: {
    level: "warn",
    text: () => "expired idempotency records or events could not be deleted; the service will try again",
    fields: err,
  },
  key_uses_unrecorded: {
    level: "warn",
    text: () => "the days on which keys were last used could not be recorded; the service will try again",
    fields: err,
  },
  traces_undelivered: {
    level: "warn",
    text: () => "the collector accepts no traces; they are dropped",
    fields: err,
  },
  backups_scheduled: {
    level: "info",
    text({ folder, newest, unidentified }) {
      const series = newest === 0 ? "none yet" : `the newest of ${new Date(newest).toISOString()}`;
      const older =
        unidentified === 0
          ? ""
          : `; ${unidentified} from an older version do not say which store they are of, and stay until you delete them`;
      return `backups of this store in ${folder}: ${series}${older}`;
    },
    fields: ({ identity }) => ({ store: identity }),
  },
  backup_made: {
    level: "info",
    text: ({ file }) => `backed up to ${file}`,
    fields: ({ file, milliseconds }) => ({ file, milliseconds }),
  },
  backup_failed: {
    level: "error",
    text: ({ againInSeconds }) => `the backup failed; the service will try again in ${againInSeconds} s`,
    fields: err,
  },
  tls_replaced: { level: "info", text: () => "the certificate was reloaded; new connections use it" },
  tls_unusable: {
    level: "error",
    text: () => "the certificate cannot be used; the previous one stays in force",
    fields: err,
  },
  worker_ended: {
    level: "error",
    text({ worker, milliseconds }) {
      const next = milliseconds === 0 ? "at once" : `in ${milliseconds} ms`;
      return `worker ${worker} ended; another takes its place ${next}`;
    },
    fields: ({ worker, how }) => ({ worker, how }),
  },
  worker_replaced: {
    level: "info",
    text: ({ worker }) => `worker ${worker} is replaced`,
    fields: ({ worker }) => ({ worker }),
  },
  stopping: { level: "info", text: ({ signal }) => `stopping on ${signal}` },
  stop_cut_short: {
    level: "warn",
    text: ({ seconds }) =>
      `the stop was cut short after ${seconds} s; every acknowledged create is on the disk`,
  },
  stopped: { level: "info", text: () => "stopped" },
};

/** The events that an operator should look into: the log records them as a warning or an error. */
export const ERROR_EVENTS: ReadonlySet<Observation["event"]> = new Set(
  (Object.keys(LINES) as Observation["event"][]).filter((event) => LINES[event].level !== "info"),
);

/** Writes the log line of an event. */
export function writeEvent(log: Logger, event: Observation): void {
  const { level, text, fields } = LINES[event.event] as Line<Observation>;
  log[level](fields?.(event) ?? {}, text(event));
}

/** Writes one line for repeated failures, without the details of the first: the log may be on a full disk. */
export function writeRepeated(log: Logger, { event, requestId, error }: FailedRequest, count: number): void {
  const message = error instanceof Error ? error.message : String(error);
  const fields = { requestId, count, error: message };
  const again = count === 1 ? "once more" : `${count} more times`;
  if (event === "store_failed") log.warn(fields, `the store could not do its work, ${again}`);
  else log.error(fields, `requests failed unexpectedly, ${again}`);
}
