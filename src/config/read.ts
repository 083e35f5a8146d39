import { readFileSync, statSync } from "node:fs";
import { parseEnv } from "node:util";
import { readPostgresUrl } from "../stores/postgres/connect/url.ts";
import { hidePassword } from "../stores/url.ts";
import { malformedLines } from "./dot-env.ts";
import { Invalid } from "./parsers.ts";
import { type Config, flagOf, SETTING_NAMES, SETTINGS, type SettingName } from "./settings.ts";
import { nearMisses } from "./suggest.ts";

/** Where a value came from. */
type Source = "flag" | "environment" | ".env" | "default";

type Texts = Readonly<Record<string, string | undefined>>;

/** A configuration, with where each value came from. */
export interface Reading {
  readonly config: Config;
  readonly sources: Readonly<Record<SettingName, Source>>;
  /** Each value as it was written, with passwords hidden. */
  readonly texts: Readonly<Record<SettingName, string | undefined>>;
  /** Names in the environment that are nearly a setting's. Other programs set names too, so these are no errors. */
  readonly warnings: readonly string[];
}

/** Everything that is wrong with a configuration, each with what would be right. */
export class ConfigErrors extends Error {
  constructor(errors: readonly string[]) {
    super(errors.join("\n"));
    this.name = "ConfigErrors";
  }
}

/**
 * Reads the configuration: a flag overrides the environment, the environment overrides `.env` in the current folder,
 * and `.env` overrides the default.
 *
 * @param flags by setting name
 * @param dotEnv the text of `.env`
 * @throws ConfigErrors
 */
export function readConfig(flags: Texts, environment: Texts = process.env, dotEnv = readDotEnv()): Reading {
  const dotEnvTexts: Texts = parseEnv(dotEnv);
  const errors = [...nearMisses(Object.keys(dotEnvTexts), ".env"), ...malformedLines(dotEnv)];
  const sources = {} as Record<SettingName, Source>;
  const texts = {} as Record<SettingName, string | undefined>;
  const values: Partial<Record<SettingName, unknown>> = {};
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
    if (value instanceof Invalid) {
      const shownName = source === "flag" ? `--${flagOf(name)}` : name;
      errors.push(
        text === ""
          ? `${shownName} is empty; it ${value.rule}, or be left out.`
          : // It is not shown: what cannot be read may be a secret that was written into the wrong place.
            `${shownName} cannot be read; it ${value.rule}.`,
      );
    }
    values[name] = value;
  }
  errors.push(...contradictions(values));
  if (errors.length > 0) throw new ConfigErrors(errors);
  const warnings = nearMisses(Object.keys(environment), "the environment");
  return { config: values as unknown as Config, sources, texts, warnings };
}

/** Settings that are right by themselves and wrong together. */
function contradictions(values: Partial<Record<SettingName, unknown>>): string[] {
  const errors = [["TLS_CERT", "TLS_KEY"] as const, ["BACKUP_EVERY", "BACKUP_DIR"] as const].flatMap(
    ([one, other]) => {
      if ((values[one] === undefined) === (values[other] === undefined)) return [];
      const missing = values[one] === undefined ? one : other;
      return [`${missing} is not set; ${one} and ${other} must be set together.`];
    },
  );
  if (values.HSTS_SECONDS !== undefined && values.TLS_CERT === undefined && values.TRUST_PROXY !== true) {
    errors.push(
      "HSTS_SECONDS needs https: set TLS_CERT and TLS_KEY, or TRUST_PROXY=true behind a proxy with TLS.",
    );
  }
  if (values.BACKUP_EVERY !== undefined && /^postgres/.test(String(values.DATABASE_URL))) {
    errors.push(
      "BACKUP_EVERY is for SQLite files; leave it out, and back PostgreSQL up with its own tools, such as pg_dump.",
    );
  }
  if (values.READ_STANDBYS === true && !namesSeveralServers(String(values.DATABASE_URL))) {
    errors.push(
      "READ_STANDBYS needs a DATABASE_URL that names the primary and its standbys, such as postgres://user@db1,db2,db3/store.",
    );
  }
  return errors;
}

function namesSeveralServers(url: string): boolean {
  const parsed = readPostgresUrl(url);
  return "hosts" in parsed && parsed.hosts.length > 1;
}

/** This program's environment without some settings, for a child process. */
export function environmentWithout(names: readonly SettingName[]): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !names.includes(name as SettingName));
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""]));
}

/** The user who started this program through sudo. */
export function sudoUser(): string | undefined {
  return process.env.SUDO_USER;
}

function readDotEnv(): string {
  let bytes: Uint8Array;
  try {
    if (statSync(".env").isFIFO()) {
      // Reading it would wait for a writer, and the processes that this one starts read .env too.
      throw new Error("it is a named pipe, which can be read only once; make it a file");
    }
    bytes = readFileSync(".env");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new ConfigErrors([`.env cannot be read: ${(error as Error).message}`]);
  }
  try {
    // This also skips a byte order mark, which would become a part of the first name.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigErrors([".env is not UTF-8, so its settings cannot be read; save it as UTF-8."]);
  }
}
