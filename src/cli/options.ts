import { type Command, Option } from "commander";
import { type Reading, readConfig } from "../config/read.ts";
import { flagOf, SETTING_NAMES, SETTINGS, type SettingName } from "../config/settings.ts";
import { withValues } from "./completions.ts";

/** A command with this many settings shows them in groups in its help. */
const GROUPED_FROM = 6;

/** The heading of each setting in the help. A new setting does not compile until it has one. */
const GROUPS: Readonly<Record<SettingName, string>> = {
  HOST: "Listening:",
  PORT: "Listening:",
  DATABASE_URL: "Store and keys:",
  ENVIRONMENT: "Store and keys:",
  STABILITY: "Interface and its document:",
  FIRST_KEY: "Store and keys:",
  PRODUCTION_URL: "Interface and its document:",
  STAGING_URL: "Interface and its document:",
  LOG_LEVEL: "Log, metrics and traces:",
  LOG_FORMAT: "Log, metrics and traces:",
  LOG_REQUESTS: "Log, metrics and traces:",
  METRICS_PORT: "Log, metrics and traces:",
  METRICS_HOST: "Log, metrics and traces:",
  OTEL_EXPORTER_OTLP_ENDPOINT: "Log, metrics and traces:",
  OTEL_EXPORTER_OTLP_HEADERS: "Log, metrics and traces:",
  OTEL_SERVICE_NAME: "Log, metrics and traces:",
  OTEL_TRACES_SAMPLER: "Log, metrics and traces:",
  OTEL_TRACES_SAMPLER_ARG: "Log, metrics and traces:",
  SHUTDOWN_SECONDS: "Limits:",
  CORS_ORIGINS: "Interface and its document:",
  RATE_LIMIT: "Limits:",
  TLS_CERT: "Listening:",
  TLS_KEY: "Listening:",
  TRUST_PROXY: "Listening:",
  MAX_REQUESTS: "Limits:",
  MAX_STREAMS: "Limits:",
  KEEP_ALIVE_SECONDS: "Limits:",
  EVENTS_KEEP: "Limits:",
  HSTS_SECONDS: "Listening:",
  WORKERS: "Listening:",
  BACKUP_EVERY: "Backups:",
  BACKUP_DIR: "Backups:",
  BACKUP_KEEP: "Backups:",
};

/** Adds a flag for each of these settings to a command. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { argument, description, values, default: standard } = SETTINGS[name];
    const otherwise = standard === undefined ? "" : `, default ${standard}`;
    const flags = `--${flagOf(name)} <${argument}>`;
    const option = withValues(new Option(flags, `${description} (${name}${otherwise})`), values);
    command.addOption(names.length > GROUPED_FROM ? option.helpGroup(GROUPS[name]) : option);
  }
  return command;
}

/** Adds the flags that say how a command reports. */
export function addOutputOptions(command: Command): Command {
  return command
    .option("--json", "report as JSON on standard output")
    .option("--quiet", "print only results and errors");
}

/** The configuration in force for a command whose flags were made by `addSettings`. */
export function configOf(options: Record<string, unknown>): Reading {
  const flags = SETTING_NAMES.map((name) => [name, options[camelCase(flagOf(name))] as string | undefined]);
  return readConfig(Object.fromEntries(flags));
}

/** How commander names the value of a flag. */
function camelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
