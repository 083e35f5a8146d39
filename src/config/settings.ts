import { ENVIRONMENTS, type Environment } from "../domain/environment.ts";
import { STABILITIES, type Stability } from "../domain/stability.ts";
import {
  backupInterval,
  baseAddress,
  collector,
  databaseUrl,
  eventsKept,
  firstKey,
  headerFields,
  host,
  Invalid,
  notEmpty,
  oneOf,
  origins,
  type RateLimitSetting,
  rateLimit,
  ratio,
  trueOrFalse,
  wholeNumber,
} from "./parsers.ts";

/** The configuration in force, by the names of the environment variables. */
export interface Config {
  readonly HOST: string;
  readonly PORT: number;
  readonly DATABASE_URL: string;
  readonly ENVIRONMENT: Environment;
  readonly STABILITY: Stability;
  /** `print`, `none`, or the path of a file. */
  readonly FIRST_KEY: string;
  readonly PRODUCTION_URL: string | undefined;
  readonly STAGING_URL: string | undefined;
  readonly LOG_LEVEL: LogLevel;
  readonly LOG_FORMAT: LogFormat;
  /** `auto`: only in a pretty log. */
  readonly LOG_REQUESTS: "auto" | boolean;
  /** Metrics are off while it is not set. */
  readonly METRICS_PORT: number | undefined;
  readonly METRICS_HOST: string;
  /** Traces are off while it is not set. */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS: Readonly<Record<string, string>> | undefined;
  readonly OTEL_SERVICE_NAME: string;
  readonly OTEL_TRACES_SAMPLER: TraceSampler;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
  readonly SHUTDOWN_SECONDS: number;
  /** `*` allows every origin. */
  readonly CORS_ORIGINS: "*" | readonly string[];
  readonly RATE_LIMIT: RateLimitSetting | undefined;
  /** The path of a PEM file. */
  readonly TLS_CERT: string | undefined;
  /** The path of a PEM file. */
  readonly TLS_KEY: string | undefined;
  readonly TRUST_PROXY: boolean;
  readonly MAX_REQUESTS: number;
  readonly MAX_STREAMS: number;
  readonly KEEP_ALIVE_SECONDS: number;
  /** Milliseconds. */
  readonly EVENTS_KEEP: number;
  /** HSTS is off while it is not set. */
  readonly HSTS_SECONDS: number | undefined;
  /** How many processes serve; `auto`: one for each processor. */
  readonly WORKERS: "auto" | number;
  /** Milliseconds; scheduled backups are off while it is not set. */
  readonly BACKUP_EVERY: number | undefined;
  readonly BACKUP_DIR: string | undefined;
  readonly BACKUP_KEEP: number;
}

const WORKERS_MAX = 64;

const LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_FORMATS = ["auto", "json", "pretty"] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

/** The samplers of OpenTelemetry's specification. */
const TRACE_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
type TraceSampler = (typeof TRACE_SAMPLERS)[number];

export type SettingName = keyof Config;

interface Setting<Value> {
  /** The flag without its dashes, if it differs from the name in lower case. */
  readonly flag?: string;
  readonly argument: string;
  readonly description: string;
  /** The default as it would be written; `undefined`: not set. */
  readonly default: string | undefined;
  /** All values that the setting can have, for completion in a shell; absent if there are too many. */
  readonly values?: readonly string[];
  read(text: string): Value | Invalid;
  /** Hides the secrets of a value, if it can hold any. */
  hide?(text: string): string;
}

/** Every setting; the environment, the flags, `.env.example` and the README follow from this table. */
export const SETTINGS: { readonly [Name in SettingName]: Setting<NonNullable<Config[Name]>> } = {
  HOST: {
    argument: "address",
    description: "address to listen on; 0.0.0.0 means every address of this machine",
    default: "127.0.0.1",
    read: host,
  },
  PORT: {
    argument: "number",
    description: "port to listen on; 0 picks a free one",
    default: "8080",
    read: (text) => wholeNumber(text, 0, 65535),
  },
  DATABASE_URL: {
    flag: "database",
    argument: "url",
    description:
      "the store: sqlite:./relative/path, sqlite:/absolute/path or postgres://user:password@host/database",
    default: "sqlite:./data/animal-store.db",
    read: databaseUrl,
  },
  ENVIRONMENT: {
    argument: "name",
    description: "which environment this service belongs to: production or staging",
    default: "production",
    values: ENVIRONMENTS,
    read: (text) => oneOf(text, ENVIRONMENTS),
  },
  STABILITY: {
    argument: "level",
    description: "the least stable operations to offer: stable, beta or experimental",
    default: "beta",
    values: STABILITIES,
    read: (text) => oneOf(text, STABILITIES),
  },
  FIRST_KEY: {
    argument: "where",
    description:
      "where the first API key of an empty store goes: print, none, or the path of a file that does not exist yet",
    default: "print",
    read: firstKey,
  },
  PRODUCTION_URL: {
    argument: "url",
    description: "base address of the production service, for the OpenAPI document",
    default: undefined,
    read: baseAddress,
  },
  STAGING_URL: {
    argument: "url",
    description: "base address of the staging service, for the OpenAPI document",
    default: undefined,
    read: baseAddress,
  },
  LOG_LEVEL: {
    argument: "level",
    description: `the minimum level to log: ${LOG_LEVELS.join(", ")}`,
    default: "info",
    values: LOG_LEVELS,
    read: (text) => oneOf(text, LOG_LEVELS),
  },
  LOG_FORMAT: {
    argument: "format",
    description: "format of the log: json, pretty, or auto for pretty on a terminal and json elsewhere",
    default: "auto",
    values: LOG_FORMATS,
    read: (text) => oneOf(text, LOG_FORMATS),
  },
  LOG_REQUESTS: {
    argument: "choice",
    description:
      "whether to log each request at level info instead of debug: true, false, or auto for true in a pretty log",
    default: "auto",
    values: ["auto", "true", "false"],
    read: (text) => (text === "auto" ? text : otherwise(trueOrFalse(text), "must be auto, true or false")),
  },
  METRICS_PORT: {
    argument: "number",
    description: "port for Prometheus metrics, at /metrics; 0 picks a free one; not set: no metrics",
    default: undefined,
    read: (text) => wholeNumber(text, 0, 65535),
  },
  METRICS_HOST: {
    argument: "address",
    description: "address to serve metrics on",
    default: "127.0.0.1",
    read: host,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    argument: "url",
    description: "collector that receives traces, as OTLP over HTTP; not set: no traces",
    default: undefined,
    read: collector,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    argument: "headers",
    description:
      "header fields for requests to the collector: name=value pairs, separated by commas, percent-encoded",
    default: undefined,
    read: headerFields,
    hide: (text) => text.replace(/=[^,]*/g, "=***"),
  },
  OTEL_SERVICE_NAME: {
    argument: "name",
    description: "name of this service in traces",
    default: "animal-store",
    read: (text) => notEmpty(text, "a name"),
  },
  OTEL_TRACES_SAMPLER: {
    argument: "name",
    description: `which requests to trace: ${TRACE_SAMPLERS.join(", ")}`,
    default: "parentbased_always_on",
    values: TRACE_SAMPLERS,
    read: (text) => oneOf(text, TRACE_SAMPLERS),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    argument: "ratio",
    description: "share of requests that a ratio sampler traces, from 0 to 1",
    default: "1",
    read: ratio,
  },
  SHUTDOWN_SECONDS: {
    argument: "seconds",
    description: "how long a stop may take in all; then unfinished work is cut off and the exit code is 0",
    default: "10",
    read: (text) => wholeNumber(text, 0, 3600),
  },
  CORS_ORIGINS: {
    argument: "origins",
    description: "origins whose pages may call the service: *, or a list separated by commas",
    default: "*",
    read: origins,
  },
  RATE_LIMIT: {
    argument: "rate",
    description:
      "requests that this instance accepts from each API key, such as 100/s, 1000/m or 5000/h; not set: no limit",
    default: undefined,
    read: rateLimit,
  },
  TLS_CERT: {
    argument: "file",
    description: "certificate chain in PEM, to serve https; read again on SIGHUP; needs TLS_KEY",
    default: undefined,
    read: pemFile,
  },
  TLS_KEY: {
    argument: "file",
    description: "private key of the certificate, in PEM",
    default: undefined,
    read: pemFile,
  },
  TRUST_PROXY: {
    argument: "boolean",
    description:
      "whether to believe X-Forwarded-For and X-Forwarded-Proto, as a proxy in front sets them: true or false",
    default: "false",
    values: ["true", "false"],
    read: trueOrFalse,
  },
  MAX_REQUESTS: {
    argument: "number",
    description:
      "requests in progress in each process, including responses that clients have not read yet; more get 503 at once",
    default: "12000",
    read: (text) => wholeNumber(text, 1, 1_000_000),
  },
  MAX_STREAMS: {
    argument: "number",
    description: "streams of events that may be open at once in each process; more get 503 at once",
    default: "10000",
    read: (text) => wholeNumber(text, 0, 1_000_000),
  },
  KEEP_ALIVE_SECONDS: {
    argument: "seconds",
    description:
      "how long a connection may be idle after a request with a valid key (with TRUST_PROXY: after any request); a proxy must close its connections sooner",
    default: "75",
    read: (text) => wholeNumber(text, 12, 240),
  },
  EVENTS_KEEP: {
    argument: "duration",
    description:
      "how long events are kept, such as 12h, 7d or 2w; a client that was away for longer starts again",
    default: "7d",
    read: eventsKept,
  },
  HSTS_SECONDS: {
    argument: "seconds",
    description:
      "how long browsers should use only https (HSTS); needs TLS_CERT, or TRUST_PROXY and X-Forwarded-Proto",
    default: undefined,
    read: (text) => wholeNumber(text, 0, 100_000_000),
  },
  WORKERS: {
    argument: "number",
    description: "processes that serve on one port and one store: a number, or auto for one per processor",
    default: "1",
    read: (text) =>
      text === "auto"
        ? text
        : otherwise(
            wholeNumber(text, 1, WORKERS_MAX),
            `must be auto, or a whole number from 1 to ${WORKERS_MAX}`,
          ),
  },
  BACKUP_EVERY: {
    argument: "duration",
    description: "how often the service backs up its SQLite file, such as 15m, 1h or 1d; not set: never",
    default: undefined,
    read: backupInterval,
  },
  BACKUP_DIR: {
    argument: "folder",
    description: "folder for those backups; needs BACKUP_EVERY",
    default: undefined,
    read: (text) => notEmpty(text, "the path of a folder"),
  },
  BACKUP_KEEP: {
    argument: "number",
    description: "how many of those backups to keep; older ones are deleted",
    default: "24",
    read: (text) => wholeNumber(text, 1, 100_000),
  },
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The flag of a setting, without its dashes. */
export function flagOf(name: SettingName): string {
  return SETTINGS[name].flag ?? name.toLowerCase().replaceAll("_", "-");
}

function pemFile(text: string): string | Invalid {
  return notEmpty(text, "the path of a PEM file");
}

/** The value, or this rule in place of its own. */
function otherwise<Value>(value: Value | Invalid, rule: string): Value | Invalid {
  return value instanceof Invalid ? new Invalid(rule) : value;
}
