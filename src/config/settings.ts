import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { distance } from "fastest-levenshtein";
import { ENVIRONMENTS, type Environment } from "../domain/environment.ts";
import { STABILITIES, type Stability } from "../domain/stability.ts";
import { hidePassword, mistakesInStoreUrl } from "../stores/url.ts";

/** What is in force, by the names of the environment variables. */
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
  /** `auto`: where the log is for people. */
  readonly LOG_REQUESTS: "auto" | boolean;
  /** Off where it is not set. */
  readonly METRICS_PORT: number | undefined;
  readonly METRICS_HOST: string;
  /** Traces are off where it is not set. */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS: Readonly<Record<string, string>> | undefined;
  readonly OTEL_SERVICE_NAME: string;
  readonly OTEL_TRACES_SAMPLER: TraceSampler;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
  readonly SHUTDOWN_SECONDS: number;
  /** Any, or those named. */
  readonly CORS_ORIGINS: "*" | readonly string[];
  readonly RATE_LIMIT: RateLimitSetting | undefined;
  /** The paths of PEM files. */
  readonly TLS_CERT: string | undefined;
  readonly TLS_KEY: string | undefined;
  readonly TRUST_PROXY: boolean;
  readonly MAX_REQUESTS: number;
  readonly KEEP_ALIVE_SECONDS: number;
  /** Off where it is not set. */
  readonly HSTS_SECONDS: number | undefined;
  /** How many processes serve; `auto`: one for each processor. */
  readonly WORKERS: "auto" | number;
  /** Milliseconds; off where it is not set. */
  readonly BACKUP_EVERY: number | undefined;
  readonly BACKUP_DIR: string | undefined;
  readonly BACKUP_KEEP: number;
}

/** So many requests of each API key in so many seconds. */
export interface RateLimitSetting {
  readonly quota: number;
  readonly windowSeconds: number;
}

const WORKERS_MAX = 64;

export const LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `pretty` is for people, `json` for programs; `auto` is pretty on a terminal. */
export const LOG_FORMATS = ["auto", "json", "pretty"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** How OpenTelemetry's specification names the ways to choose what is traced. */
export const TRACE_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type TraceSampler = (typeof TRACE_SAMPLERS)[number];

export type SettingName = keyof Config;

/** Where a value came from. */
export type Source = "flag" | "environment" | ".env" | "default";

/** A value that a setting cannot have; the message completes "NAME …". */
class Wrong {
  readonly rule: string;
  constructor(rule: string) {
    this.rule = rule;
  }
}

export interface Setting<Value = unknown> {
  /** The flag without its dashes, where it is not the name in lower case. */
  readonly flag?: string;
  readonly argument: string;
  readonly description: string;
  /** What holds where nothing is said, as it would be written; `undefined`: nothing. */
  readonly default: string | undefined;
  read(text: string): Value | Wrong;
  /** The value as it may be shown, where a part of it is a secret. */
  hide?(text: string): string;
}

/** Every setting there is: the environment, the flags, `.env.example` and the README follow from it. */
export const SETTINGS: { readonly [Name in SettingName]: Setting<NonNullable<Config[Name]>> } = {
  HOST: {
    argument: "address",
    description: "address to listen on; 0.0.0.0 is every one of this machine's",
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
    description: "which of the two services this is: production or staging",
    default: "production",
    read: (text) => oneOf(text, ENVIRONMENTS),
  },
  STABILITY: {
    argument: "kind",
    description: "the least stable kind of operation to offer: stable, beta or experimental",
    default: "beta",
    read: (text) => oneOf(text, STABILITIES),
  },
  FIRST_KEY: {
    argument: "where",
    description:
      "where the first key of an empty store goes: print, none, or the path of a file that does not exist yet",
    default: "print",
    read: (text) =>
      // A quote at its start was meant for a shell, and what ends in a slash is a folder.
      /^(?:print|none|(?!["'`])[^\0]*\/[^\0/]+)$/.test(text)
        ? text
        : new Wrong("must be print, none, or a file's path with a slash in it, such as ./first-key"),
  },
  PRODUCTION_URL: {
    argument: "url",
    description: "the production service's base address, for the OpenAPI document",
    default: undefined,
    read: baseAddress,
  },
  STAGING_URL: {
    argument: "url",
    description: "the staging service's base address, for the OpenAPI document",
    default: undefined,
    read: baseAddress,
  },
  LOG_LEVEL: {
    argument: "level",
    description: `the minimum level to log: ${LOG_LEVELS.join(", ")}`,
    default: "info",
    read: (text) => oneOf(text, LOG_LEVELS),
  },
  LOG_FORMAT: {
    argument: "format",
    description: "how the log is written: json, pretty, or auto for pretty on a terminal and json elsewhere",
    default: "auto",
    read: (text) => oneOf(text, LOG_FORMATS),
  },
  LOG_REQUESTS: {
    argument: "choice",
    description:
      "whether each request has a line in the log at info, as it has at debug: true, false, or auto for where the log is pretty",
    default: "auto",
    read: (text) => {
      if (text === "auto") return text;
      const value = trueOrFalse(text);
      return value instanceof Wrong ? new Wrong("must be auto, true or false") : value;
    },
  },
  METRICS_PORT: {
    argument: "number",
    description:
      "port to serve Prometheus metrics on, at /metrics; 0 picks a free one; without it there are none",
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
    description: "collector to send traces to, as OTLP over HTTP; without it there are none",
    default: undefined,
    read: collector,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    argument: "headers",
    description:
      "what the collector wants to see with them: name=value, some with commas between, percent-encoded",
    default: undefined,
    read: headerFields,
    hide: (text) => text.replace(/=[^,]*/g, "=***"),
  },
  OTEL_SERVICE_NAME: {
    argument: "name",
    description: "what this service is called in traces",
    default: "animal-store",
    read: (text) => (text.trim() === "" ? new Wrong("must be a name") : text),
  },
  OTEL_TRACES_SAMPLER: {
    argument: "name",
    description: `which requests are traced: ${TRACE_SAMPLERS.join(", ")}`,
    default: "parentbased_always_on",
    read: (text) => oneOf(text, TRACE_SAMPLERS),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    argument: "ratio",
    description: "how many of them a sampler by ratio takes, from 0 to 1",
    default: "1",
    read: (text) =>
      /^(?:0|1|[01]?\.[0-9]+)$/.test(text) && Number(text) <= 1
        ? Number(text)
        : new Wrong("must be a number from 0 to 1, such as 0.01"),
  },
  SHUTDOWN_SECONDS: {
    argument: "seconds",
    description: "how long a stop may take in all; what is unfinished then is cut off, and it exits with 0",
    default: "10",
    read: (text) => wholeNumber(text, 0, 3600),
  },
  CORS_ORIGINS: {
    argument: "origins",
    description: "origins whose pages may call the service: *, or some with commas between",
    default: "*",
    read: origins,
  },
  RATE_LIMIT: {
    argument: "rate",
    description: "requests that each API key may make of this instance, such as 100/s, 1000/m or 5000/h",
    default: undefined,
    read: rateLimit,
  },
  TLS_CERT: {
    argument: "file",
    description: "certificate chain in PEM, to serve https; read again on SIGHUP; goes with TLS_KEY",
    default: undefined,
    read: pemFile,
  },
  TLS_KEY: {
    argument: "file",
    description: "the certificate's private key in PEM",
    default: undefined,
    read: pemFile,
  },
  TRUST_PROXY: {
    argument: "boolean",
    description:
      "whether to believe the X-Forwarded-For and X-Forwarded-Proto of a proxy before the service: true or false",
    default: "false",
    read: trueOrFalse,
  },
  MAX_REQUESTS: {
    argument: "number",
    description:
      "requests in progress in each process, responses that nobody has read yet included; more get 503 at once",
    default: "12000",
    read: (text) => wholeNumber(text, 1, 1_000_000),
  },
  KEEP_ALIVE_SECONDS: {
    argument: "seconds",
    description:
      "how long a connection may be idle after a request with a valid key, with TRUST_PROXY after any; a proxy must close its own earlier",
    default: "75",
    read: (text) => wholeNumber(text, 12, 240),
  },
  HSTS_SECONDS: {
    argument: "seconds",
    description:
      "how long browsers are told to use https alone; goes with TLS_CERT, or TRUST_PROXY and X-Forwarded-Proto",
    default: undefined,
    read: (text) => wholeNumber(text, 0, 100_000_000),
  },
  WORKERS: {
    argument: "number",
    description: "processes that serve, on one port and one store: a number, or auto for one a processor",
    default: "1",
    read: (text) => {
      const value = text === "auto" ? text : wholeNumber(text, 1, WORKERS_MAX);
      return value instanceof Wrong
        ? new Wrong(`must be auto, or a whole number from 1 to ${WORKERS_MAX}`)
        : value;
    },
  },
  BACKUP_EVERY: {
    argument: "duration",
    description: "how often the service backs up its SQLite file by itself, such as 15m, 1h or 1d",
    default: undefined,
    read: backupEvery,
  },
  BACKUP_DIR: {
    argument: "folder",
    description: "where those backups go; goes with BACKUP_EVERY",
    default: undefined,
    read: (text) => (text === "" ? new Wrong("must be the path of a folder") : text),
  },
  BACKUP_KEEP: {
    argument: "number",
    description: "how many of them are kept, the newest; older ones are removed",
    default: "24",
    read: (text) => wholeNumber(text, 1, 100_000),
  },
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The flag of a setting, without its dashes. */
export function flagOf(name: SettingName): string {
  return SETTINGS[name].flag ?? name.toLowerCase().replaceAll("_", "-");
}

/** Everything that is wrong with a configuration, each with what would be right. */
export class ConfigMistakes extends Error {
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "ConfigMistakes";
  }
}

type Texts = Readonly<Record<string, string | undefined>>;

/** What a configuration came to. */
export interface Reading {
  readonly config: Config;
  readonly sources: Readonly<Record<SettingName, Source>>;
  /** Each value as it was written, passwords hidden. */
  readonly texts: Readonly<Record<SettingName, string | undefined>>;
  /** Names in the environment that are nearly a setting's. Other programs set names too, so these are no mistakes. */
  readonly doubts: readonly string[];
}

/**
 * Reads the configuration: a flag before the environment, the environment before `.env` in the current
 * folder, that before the default.
 *
 * @param flags by setting name
 * @param dotEnv the text of `.env`
 * @throws ConfigMistakes
 */
export function readConfig(flags: Texts, environment: Texts = process.env, dotEnv = readDotEnv()): Reading {
  const dotEnvTexts: Texts = parseEnv(dotEnv);
  const mistakes = [...mistypedNames(dotEnvTexts, ".env"), ...namesWithoutValue(dotEnv)];
  const sources = {} as Record<SettingName, Source>;
  const texts = {} as Record<SettingName, string | undefined>;
  const values: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const given: [Source, string | undefined][] = [
      ["flag", flags[name]],
      ["environment", environment[name]],
      [".env", dotEnvTexts[name]],
      ["default", SETTINGS[name].default],
    ];
    const [source, text] = given.find(([, text]) => text !== undefined) ?? ["default", undefined];
    sources[name] = source;
    texts[name] = text === undefined ? undefined : hidePassword(SETTINGS[name].hide?.(text) ?? text);
    const value = text === undefined ? undefined : SETTINGS[name].read(text);
    if (value instanceof Wrong) {
      const said = source === "flag" ? `--${flagOf(name)}` : name;
      mistakes.push(
        text === ""
          ? `${said} is empty; it ${value.rule}, or be left out.`
          : `${said} is ${JSON.stringify(texts[name])}; it ${value.rule}.`,
      );
    }
    values[name] = value;
  }
  if ((values.TLS_CERT === undefined) !== (values.TLS_KEY === undefined)) {
    const missing = values.TLS_CERT === undefined ? "TLS_CERT" : "TLS_KEY";
    mistakes.push(`${missing} is not set; TLS_CERT and TLS_KEY must be set together.`);
  }
  if (values.HSTS_SECONDS !== undefined && values.TLS_CERT === undefined && values.TRUST_PROXY !== true) {
    mistakes.push(
      "HSTS_SECONDS needs https: set TLS_CERT and TLS_KEY, or TRUST_PROXY=true behind a proxy with TLS.",
    );
  }
  if ((values.BACKUP_EVERY === undefined) !== (values.BACKUP_DIR === undefined)) {
    const missing = values.BACKUP_EVERY === undefined ? "BACKUP_EVERY" : "BACKUP_DIR";
    mistakes.push(`${missing} is not set; BACKUP_EVERY and BACKUP_DIR must be set together.`);
  }
  if (values.BACKUP_EVERY !== undefined && /^postgres/.test(String(values.DATABASE_URL))) {
    mistakes.push(
      "BACKUP_EVERY is for SQLite files; leave it out, and back PostgreSQL up with its own tools, such as pg_dump.",
    );
  }
  if (mistakes.length > 0) throw new ConfigMistakes(mistakes);
  const doubts = mistypedNames(environment, "the environment");
  return { config: values as unknown as Config, sources, texts, doubts };
}

/** The environment for another start of this program: this one's, without some settings. */
export function environmentWithout(names: readonly SettingName[]): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !names.includes(name as SettingName));
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""]));
}

/** The user who started this program as another one, by sudo. */
export function sudoUser(): string | undefined {
  return process.env.SUDO_USER;
}

function readDotEnv(): string {
  try {
    return readFileSync(".env", "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new ConfigMistakes([`.env cannot be read: ${(error as Error).message}`]);
  }
}

/** Names that are nearly a setting's: a mistyped setting must not be silently without effect. */
function mistypedNames(texts: Texts, place: string): string[] {
  return Object.keys(texts).flatMap((given) => {
    const meant = isSetting(given) ? undefined : SETTING_NAMES.find((name) => isNearly(given, name));
    return meant ? [`${given} in ${place} is not a setting; did you mean ${meant}?`] : [];
  });
}

function isSetting(name: string): boolean {
  return Object.hasOwn(SETTINGS, name);
}

function isNearly(given: string, name: string): boolean {
  // A digit is a choice, not a slip: PORT0 is a name that some schedulers set beside ours.
  if (/[0-9]/.test(given)) return false;
  const letters = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, "");
  const sorted = (text: string) => [...letters(text)].sort().join("");
  if (letters(given) === letters(name)) return true;
  // Most neighbours of a short name mean something else, HOME and VHOST beside HOST: only PROT is PORT.
  return name.length > 5 ? distance(given, name) <= 2 : sorted(given) === sorted(name);
}

/** Lines such as `PORT 8080`, which `parseEnv` passes over without a word. */
function namesWithoutValue(dotEnv: string): string[] {
  return dotEnv.split("\n").flatMap((line, index) => {
    const [, name = "", rest = ""] = /^\s*(?:export\s+)?(\w+)\s*(.*)/.exec(line) ?? [];
    return isSetting(name) && !/^[=:]/.test(rest)
      ? [`${name} in line ${index + 1} of .env has no value; write ${name}=… or leave the line out.`]
      : [];
  });
}

function oneOf<Value extends string>(text: string, values: readonly Value[]): Value | Wrong {
  return values.find((value) => value === text) ?? new Wrong(`must be one of ${values.join(", ")}`);
}

function host(text: string): string | Wrong {
  return /^[A-Za-z0-9.:_-]+$/.test(text)
    ? text
    : new Wrong("must be a host name or an IP address, such as 127.0.0.1");
}

function trueOrFalse(text: string): boolean | Wrong {
  return text === "true" || text === "false" ? text === "true" : new Wrong("must be true or false");
}

function wholeNumber(text: string, least: number, greatest: number): number | Wrong {
  const value = Number(text);
  return /^[0-9]{1,9}$/.test(text) && value >= least && value <= greatest
    ? value
    : new Wrong(`must be a whole number from ${least} to ${greatest}`);
}

function origins(text: string): "*" | readonly string[] | Wrong {
  if (text === "*") return text;
  const named = text.split(",").map((origin) => origin.trim());
  return named.every((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin)
    ? named
    : new Wrong("must be *, or origins such as https://shop.example.com with commas between, with no path");
}

const SECONDS = { s: 1, m: 60, h: 3600 } as const;

function rateLimit(text: string): RateLimitSetting | Wrong {
  const [, quota, unit] = /^([1-9][0-9]{0,8})\/([smh])$/.exec(text) ?? [];
  return unit === undefined
    ? new Wrong("must be a number of requests per s, m or h, such as 100/s")
    : { quota: Number(quota), windowSeconds: SECONDS[unit as keyof typeof SECONDS] };
}

const DURATION_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
/** What the system's timers can wait for is a little more. */
const BACKUP_EVERY_MAX_DAYS = 24;

function backupEvery(text: string): number | Wrong {
  const [, amount, unit] = /^([1-9][0-9]{0,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(amount) * DURATION_SECONDS[unit as keyof typeof DURATION_SECONDS];
  return seconds <= BACKUP_EVERY_MAX_DAYS * DURATION_SECONDS.d
    ? seconds * 1000
    : new Wrong(`must be a duration of at most ${BACKUP_EVERY_MAX_DAYS}d, such as 15m, 1h or 1d`);
}

function databaseUrl(text: string): string | Wrong {
  const mistakes = mistakesInStoreUrl(text);
  return mistakes.length > 0 ? new Wrong(mistakes.join("; it ")) : text;
}

function baseAddress(text: string): string | Wrong {
  const rule = "must be an http or https address that ends in /v1, such as https://animals.example.com/v1";
  const url = URL.parse(text);
  const fits =
    url && /^https?:$/.test(url.protocol) && url.pathname.endsWith("/v1") && !url.search && !url.hash;
  return fits && !url.username && !url.password ? url.origin + url.pathname : new Wrong(rule);
}

function collector(text: string): string | Wrong {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !url.search && !url.hash
    ? text
    : new Wrong("must be an http or https address, such as http://127.0.0.1:4318");
}

/** As OpenTelemetry has it: like W3C Baggage, without properties. */
function headerFields(text: string): Readonly<Record<string, string>> | Wrong {
  const fields = text
    .split(",")
    .map((field) => /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([!-~]+)\s*$/.exec(field));
  try {
    return Object.fromEntries(
      fields.map((field) => {
        if (!field) throw new URIError();
        return [field[1], decodeURIComponent(field[2] as string)];
      }),
    );
  } catch {
    return new Wrong("must be name=value, some with commas between, values percent-encoded");
  }
}

function pemFile(text: string): string | Wrong {
  return text === "" ? new Wrong("must be the path of a PEM file") : text;
}
