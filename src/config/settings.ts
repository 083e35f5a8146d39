import { ENVIRONMENTS } from "../domain/environment.ts";
import { STABILITIES } from "../domain/stability.ts";
import {
  backupInterval,
  baseAddress,
  collector,
  databaseUrl,
  eventsKept,
  firstKey,
  headerFields,
  host,
  type Invalid,
  notEmpty,
  oneOf,
  orAuto,
  origins,
  rateLimit,
  ratio,
  trueOrFalse,
  wholeNumber,
} from "./parsers.ts";

const WORKERS_MAX = 64;

const LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;

const LOG_FORMATS = ["auto", "json", "pretty"] as const;

/** The samplers of OpenTelemetry's specification. */
const TRACE_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** The headings under which the help shows settings. */
type Group =
  | "Listening"
  | "Store and keys"
  | "Interface and its document"
  | "Limits"
  | "Backups"
  | "Log, metrics and traces";

/** A setting: all that the program, its help and its documents know about it. */
interface Setting {
  readonly group: Group;
  /**
   * Whether the instances that `verify` starts take it from the environment. The other settings would change the expected
   * responses, or interfere with a running service: take its port, write into its backups, report to its collector.
   */
  readonly inherited?: true;
  /** The flag without its dashes, if it differs from the name in lower case. */
  readonly flag?: string;
  readonly argument: string;
  readonly description: string;
  /** The default as it would be written; absent: not set. */
  readonly default?: string;
  /** All values that the setting can have, for completion in a shell; absent if there are too many. */
  readonly values?: readonly string[];
  /** Parses a value; durations become milliseconds. */
  read(text: string): unknown;
  /** Hides the secrets of a value, if it can hold any. */
  hide?(text: string): string;
}

const TABLE = {
  HOST: {
    group: "Listening",
    argument: "address",
    description: "address to listen on; 0.0.0.0 means every address of this machine",
    default: "127.0.0.1",
    read: host,
  },
  PORT: {
    group: "Listening",
    argument: "number",
    description: "port to listen on; 0 picks a free one",
    default: "8080",
    read: wholeNumber(0, 65535),
  },
  DATABASE_URL: {
    group: "Store and keys",
    flag: "database",
    argument: "url",
    description:
      "the store: sqlite:./relative/path, sqlite:/absolute/path or postgres://user:password@host/database",
    default: "sqlite:./data/animal-store.db",
    read: databaseUrl,
  },
  READ_STANDBYS: {
    group: "Store and keys",
    inherited: true,
    argument: "boolean",
    description:
      "whether PostgreSQL's standbys answer reads, as current as the primary: those that DATABASE_URL names as well; true or false",
    default: "false",
    values: ["true", "false"],
    read: trueOrFalse,
  },
  ENVIRONMENT: {
    group: "Store and keys",
    inherited: true,
    argument: "name",
    description: "which environment this service belongs to: production or staging",
    default: "production",
    ...oneOf(ENVIRONMENTS),
  },
  STABILITY: {
    group: "Interface and its document",
    inherited: true,
    argument: "level",
    description: "the least stable operations to offer: stable, beta or experimental",
    default: "beta",
    ...oneOf(STABILITIES),
  },
  FIRST_KEY: {
    group: "Store and keys",
    argument: "where",
    description:
      "where the first API key of an empty store goes: print, none, or the path of a file that does not exist yet",
    default: "print",
    read: firstKey,
  },
  PRODUCTION_URL: {
    group: "Interface and its document",
    argument: "url",
    description: "base address of the production service, for the OpenAPI document",
    read: baseAddress,
  },
  STAGING_URL: {
    group: "Interface and its document",
    argument: "url",
    description: "base address of the staging service, for the OpenAPI document",
    read: baseAddress,
  },
  LOG_LEVEL: {
    group: "Log, metrics and traces",
    argument: "level",
    description: `the minimum level to log: ${LOG_LEVELS.join(", ")}`,
    default: "info",
    ...oneOf(LOG_LEVELS),
  },
  LOG_FORMAT: {
    group: "Log, metrics and traces",
    argument: "format",
    description: "format of the log: json, pretty, or auto for pretty on a terminal and json elsewhere",
    default: "auto",
    ...oneOf(LOG_FORMATS),
  },
  LOG_REQUESTS: {
    group: "Log, metrics and traces",
    argument: "choice",
    description:
      "whether to log each request at level info instead of debug: true, false, or auto for true in a pretty log",
    default: "auto",
    values: ["auto", "true", "false"],
    read: orAuto(trueOrFalse, "must be auto, true or false"),
  },
  METRICS_PORT: {
    group: "Log, metrics and traces",
    argument: "number",
    description: "port for Prometheus metrics, at /metrics; 0 picks a free one; not set: no metrics",
    read: wholeNumber(0, 65535),
  },
  METRICS_HOST: {
    group: "Log, metrics and traces",
    argument: "address",
    description: "address to serve metrics on",
    default: "127.0.0.1",
    read: host,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    group: "Log, metrics and traces",
    argument: "url",
    description: "collector that receives traces, as OTLP over HTTP; not set: no traces",
    read: collector,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    group: "Log, metrics and traces",
    argument: "headers",
    description:
      "header fields for requests to the collector: name=value pairs, separated by commas, percent-encoded",
    read: headerFields,
    hide: (text) => text.replace(/=[^,]*/g, "=***"),
  },
  OTEL_SERVICE_NAME: {
    group: "Log, metrics and traces",
    argument: "name",
    description: "name of this service in traces",
    default: "animal-store",
    read: notEmpty("a name"),
  },
  OTEL_TRACES_SAMPLER: {
    group: "Log, metrics and traces",
    argument: "name",
    description: `which requests to trace: ${TRACE_SAMPLERS.join(", ")}`,
    default: "parentbased_always_on",
    ...oneOf(TRACE_SAMPLERS),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    group: "Log, metrics and traces",
    argument: "ratio",
    description: "share of requests that a ratio sampler traces, from 0 to 1",
    default: "1",
    read: ratio,
  },
  SHUTDOWN_SECONDS: {
    group: "Limits",
    inherited: true,
    argument: "seconds",
    description: "how long a stop may take in all; then unfinished work is cut off and the exit code is 0",
    default: "10",
    read: wholeNumber(0, 3600),
  },
  CORS_ORIGINS: {
    group: "Interface and its document",
    argument: "origins",
    description: "origins whose pages may call the service: *, or a list separated by commas",
    default: "*",
    read: origins,
  },
  RATE_LIMIT: {
    group: "Limits",
    argument: "rate",
    description:
      "requests that this instance accepts from each API key, such as 100/s, 1000/m or 5000/h; not set: no limit",
    read: rateLimit,
  },
  TLS_CERT: {
    group: "Listening",
    argument: "file",
    description: "certificate chain in PEM, to serve https; read again on SIGHUP; needs TLS_KEY",
    read: notEmpty("the path of a PEM file"),
  },
  TLS_KEY: {
    group: "Listening",
    argument: "file",
    description: "private key of the certificate, in PEM",
    read: notEmpty("the path of a PEM file"),
  },
  TRUST_PROXY: {
    group: "Listening",
    inherited: true,
    argument: "boolean",
    description:
      "whether to believe X-Forwarded-For and X-Forwarded-Proto, as a proxy in front sets them: true or false",
    default: "false",
    values: ["true", "false"],
    read: trueOrFalse,
  },
  MAX_REQUESTS: {
    group: "Limits",
    argument: "number",
    description:
      "requests in progress in each process, including responses that clients have not read yet; more get 503 at once",
    default: "12000",
    read: wholeNumber(1, 1_000_000),
  },
  MAX_STREAMS: {
    group: "Limits",
    argument: "number",
    description: "streams of events that may be open at once in each process; more get 503 at once",
    default: "10000",
    read: wholeNumber(0, 1_000_000),
  },
  KEEP_ALIVE_SECONDS: {
    group: "Limits",
    argument: "seconds",
    description:
      "how long a connection may be idle after a request with a valid key (with TRUST_PROXY: after any request); a proxy must close its connections sooner",
    default: "75",
    read: wholeNumber(12, 240),
  },
  EVENTS_KEEP: {
    group: "Limits",
    argument: "duration",
    description:
      "how long events are kept, such as 12h, 7d or 2w; a client that was away for longer starts again",
    default: "7d",
    read: eventsKept,
  },
  HSTS_SECONDS: {
    group: "Listening",
    argument: "seconds",
    description:
      "how long browsers should use only https (HSTS); needs TLS_CERT, or TRUST_PROXY and X-Forwarded-Proto",
    read: wholeNumber(0, 100_000_000),
  },
  WORKERS: {
    group: "Listening",
    inherited: true,
    argument: "number",
    description: "processes that serve on one port and one store: a number, or auto for one per processor",
    default: "1",
    read: orAuto(wholeNumber(1, WORKERS_MAX), `must be auto, or a whole number from 1 to ${WORKERS_MAX}`),
  },
  BACKUP_EVERY: {
    group: "Backups",
    argument: "duration",
    description: "how often the service backs up its SQLite file, such as 15m, 1h or 1d; not set: never",
    read: backupInterval,
  },
  BACKUP_DIR: {
    group: "Backups",
    argument: "folder",
    description: "folder for those backups; needs BACKUP_EVERY",
    read: notEmpty("the path of a folder"),
  },
  BACKUP_KEEP: {
    group: "Backups",
    argument: "number",
    description: "how many of those backups to keep; older ones are deleted",
    default: "24",
    read: wholeNumber(1, 100_000),
  },
} satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof TABLE;

/** The value of a setting; a setting without a default may have none. */
type ValueOf<S extends Setting> =
  | Exclude<ReturnType<S["read"]>, Invalid>
  | (S extends { readonly default: string } ? never : undefined);

/** The configuration in force, by the names of the environment variables. */
export type Config = { readonly [Name in SettingName]: ValueOf<(typeof TABLE)[Name]> };

/** Every setting. The environment, the flags, their help, `.env.example` and `docs/settings.md` follow from this table. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = TABLE;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The flag of a setting, without its dashes. */
export function flagOf(name: SettingName): string {
  return SETTINGS[name].flag ?? name.toLowerCase().replaceAll("_", "-");
}
